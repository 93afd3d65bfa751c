//! A minimal HTTP server of one page: `GET /` and `HEAD /`, for browsers of this machine.
//!
//! No crate is needed: there is one page, requests have no bodies, and the server closes each connection after its response.
//! It refuses requests that name another host: a page from elsewhere could resolve its own name to this machine, and would
//! then read the scene.

use super::scene_json;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The page, with the scene to put into it.
pub(super) struct Site {
    pub(super) page: String,
    pub(super) scene: Option<PathBuf>,
    pub(super) port: u16,
}

/// The length of the longest request.
const MAX_REQUEST_BYTES: u64 = 1 << 14;
/// The time after which a silent connection is closed.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Serves for ever, with a thread for each connection: browsers open connections ahead of their requests.
pub(super) fn serve(listener: &TcpListener, site: Site) {
    let site = Arc::new(site);
    for stream in listener.incoming() {
        match stream {
            Ok(stream) => {
                let site = Arc::clone(&site);
                std::thread::spawn(move || answer(stream, &site));
            }
            // Perhaps there are too many open files: others will be closed soon.
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Responds to one request. A closed connection is no error to report.
fn answer(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = Request::read(&mut BufReader::new((&stream).take(MAX_REQUEST_BYTES)))?;
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
    /// Reads the first line and the headers; the fields stay empty if they are malformed.
    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut request = Self::default();
        let mut line = String::new();
        input.read_line(&mut line)?;
        let mut parts = line.split_ascii_whitespace();
        if let (Some(method), Some(target), Some(_version)) = (parts.next(), parts.next(), parts.next()) {
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

    /// The page, with the current content of the scene file.
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
