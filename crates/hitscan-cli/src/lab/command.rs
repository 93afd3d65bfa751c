//! The command line of `hitscan lab`.

use super::{http, scene_json};
use crate::console::Console;
use crate::error::{Error, Result};
use clap::Args;
use flate2::read::GzDecoder;
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Open the ray lab in the browser: drag shapes and rays, and see every test happen
#[derive(Args)]
#[command(after_help = "\
Examples:
  hitscan lab                  an empty bench, with examples
  hitscan lab scene.toml       a scene with its meshes; loading the page again reads the files again
  hitscan lab bunny.ply --port 0 --no-open

Only this machine can reach it. Stop it with Ctrl-C.")]
pub(crate) struct LabArguments {
    /// The scene to open: .toml, .hitscene, or a mesh (.obj, .stl, .ply, .off, .gltf, .glb, .hitmesh)
    scene: Option<PathBuf>,
    /// The port on 127.0.0.1; 0 takes any free one
    #[arg(long, value_name = "N", default_value_t = 8017)]
    port: u16,
    /// Do not open a browser: print the address only
    #[arg(long)]
    no_open: bool,
    /// Serve this page instead of the one in the program
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
}

/// The page that the program was built with, compressed.
#[cfg(lab_page)]
const PAGE: Option<&[u8]> = Some(include_bytes!(env!("HITSCAN_LAB_PAGE")));
#[cfg(not(lab_page))]
const PAGE: Option<&[u8]> = None;

/// The page as text; `None` if it is no gzip of a text, which the build cannot know.
fn unpacked(page: &[u8]) -> Option<String> {
    let mut text = String::new();
    GzDecoder::new(page).read_to_string(&mut text).ok().map(|_| text)
}

impl LabArguments {
    pub(crate) fn run(self, console: &mut Console) -> Result<()> {
        let page = match &self.page {
            Some(file) => std::fs::read_to_string(file).map_err(|error| Error::write(file, &error))?,
            None => PAGE.and_then(unpacked).ok_or_else(|| {
                Error::input(
                    "this program was built without the page of the ray lab: run `cargo xtask lab` in the repository, which \
                     builds the page (with Node) and then the program, or give a page with --page FILE",
                )
            })?,
        };
        // A faulty scene stops the command before it serves a page.
        self.scene.as_deref().map(scene_json::read).transpose()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, self.port)).map_err(|error| {
            let port = self.port;
            Error::input(match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    format!("port {port} is taken: choose another one with --port, or --port 0 for any that is free")
                }
                _ => format!("port {port}: {error}"),
            })
        })?;
        let port = listener.local_addr()?.port();
        let address = format!("http://127.0.0.1:{port}/");
        writeln!(console.out, "the ray lab is at {address} (Ctrl-C stops it)")?;
        console.out.flush()?;
        if !self.no_open {
            open(&address);
        }
        http::serve(&listener, http::Site { page, scene: self.scene, port });
        Ok(())
    }
}

/// Opens an address in the browser of the desktop, if there is one.
fn open(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(windows) {
        ("cmd", &["/c", "start", ""])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // The thread waits for the process, which would else stay a zombie.
    std::thread::spawn(move || command.status());
}
