//! As much of HTTP as one page needs: `GET /` and `HEAD /`, for browsers of this machine.
//!
//! Written here and not taken from a crate: there is one answer, requests have no bodies, and connections are closed after
//! each. Requests that name another host are refused: a page from elsewhere could have its own name resolved to this
//! machine, and would then read the scene.

use super::scene_json;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is served.
pub(super) struct Site {
    pub(super) page: String,
    pub(super) scene: Option<PathBuf>,
    pub(super) port: u16,
}

/// Longest request that is read.
const MOST_BYTES: u64 = 1 << 14;
/// Nobody holds a connection for longer than this without saying anything.
const PATIENCE: Duration = Duration::from_secs(10);

/// Answers for ever. Browsers open connections ahead of their requests, so each has a thread of its own.
pub(super) fn serve(listener: &TcpListener, site: Site) {
    let site = Arc::new(site);
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let site = Arc::clone(&site);
                std::thread::spawn(move || answer(stream, &site));
            }
            // Out of handles, perhaps: others are given back soon.
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// A browser that goes away is no error.
fn answer(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = Request::read(&mut BufReader::new((&stream).take(MOST_BYTES)))?;
    let Response { status, kind, body } = site.respond(&request);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n{}\r\n",
        body.len(),
        if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" },
    );
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

#[derive(Debug, Default)]
struct Request {
    method: String,
    path: String,
    hosts: Vec<String>,
}

impl Request {
    /// The first line and the headers; empty where they are not those of a request.
    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut request = Self::default();
        let mut line = String::new();
        input.read_line(&mut line)?;
        let mut words = line.split_ascii_whitespace();
        if let (Some(method), Some(target), Some(_version)) = (words.next(), words.next(), words.next()) {
            request.method = method.to_owned();
            request.path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
        }
        loop {
            line.clear();
            if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
                return Ok(request);
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                request.hosts.push(value.trim().to_ascii_lowercase());
            }
        }
    }
}

struct Response {
    status: &'static str,
    kind: &'static str,
    body: String,
}

fn plain(status: &'static str, body: impl Into<String>) -> Response {
    Response { status, kind: "text/plain", body: body.into() }
}

impl Site {
    fn respond(&self, request: &Request) -> Response {
        if request.method.is_empty() {
            return plain("400 Bad Request", "not a request\n");
        }
        let [host] = &request.hosts[..] else {
            return plain("400 Bad Request", "a request names one host\n");
        };
        if !["127.0.0.1", "localhost"].iter().any(|name| *host == format!("{name}:{}", self.port)) {
            return plain("403 Forbidden", "the ray lab is for this machine\n");
        }
        match (&request.method[..], &request.path[..]) {
            ("GET" | "HEAD", "/" | "/index.html") => self.page(),
            ("GET" | "HEAD", _) => plain("404 Not Found", "there is one page, at /\n"),
            _ => plain("405 Method Not Allowed", "GET and HEAD are answered\n"),
        }
    }

    /// The page, with the scene as it is now.
    fn page(&self) -> Response {
        let body = match self.scene.as_deref().map(scene_json::read) {
            None => self.page.clone(),
            Some(Ok(scene)) => {
                let element = format!("<script type=\"application/json\" id=\"hitscan-scene\">{scene}</script></head>");
                self.page.replacen("</head>", &element, 1)
            }
            Some(Err(error)) => return plain("500 Internal Server Error", format!("{error}\n")),
        };
        Response { status: "200 OK", kind: "text/html", body }
    }
}
