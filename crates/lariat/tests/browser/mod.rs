//! A real browser for tests: headless Chromium, driven by the `WebDriver` protocol.

use serde_json::{Value, json};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A browser with one window. It ends with this value.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    profile: PathBuf,
}

impl Browser {
    /// Starts a browser; nothing if there is none on this machine, which is said.
    pub fn start(name: &str) -> Option<Self> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            println!("skipped: there is no chromedriver here (Debian: chromium, chromium-driver)");
            return None;
        };
        let output = driver.stdout.take().expect("it has an output");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.rsplit_once("successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        // Whatever it says later has somewhere to go.
        std::thread::spawn(move || lines.for_each(drop));
        let profile = std::env::temp_dir().join(format!("lariat-{name}-{}", std::process::id()));
        let mut browser = Self {
            driver,
            port: port.expect("chromedriver names its port"),
            session: String::new(),
            profile,
        };
        let session = browser.post("/session", &browser.capabilities());
        let id = session["sessionId"].as_str();
        id.expect("a session").clone_into(&mut browser.session);
        // The first page of a new window is the browser's own, and asks for things.
        browser.command("/url", &json!({ "url": "about:blank" }));
        browser.requests();
        browser.console();
        Some(browser)
    }

    fn capabilities(&self) -> Value {
        let profile = format!("--user-data-dir={}", self.profile.display());
        json!({ "capabilities": { "alwaysMatch": {
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
            "goog:chromeOptions": { "args": [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--window-size=1600,3000", profile,
            ] },
        } } })
    }

    /// Opens a page from disk.
    pub fn open(&self, path: &Path) {
        let url = format!("file://{}", encoded(&path.display().to_string()));
        self.command("/url", &json!({ "url": url }));
    }

    /// Makes the window so large.
    pub fn size(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height });
        self.command("/window/rect", &size);
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.command("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Presses a key, or several one after another.
    pub fn press(&self, keys: &str) {
        let presses = keys.chars().flat_map(|key| {
            let press = |kind| json!({ "type": kind, "value": key });
            [press("keyDown"), press("keyUp")]
        });
        let actions: Vec<Value> = presses.collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.command("/actions", &json!({ "actions": [keyboard] }));
    }

    /// What the console shows since this was asked last.
    pub fn console(&self) -> Vec<String> {
        let all = self.command("/se/log", &json!({ "type": "browser" }));
        let all = all.as_array().expect("a log").iter();
        all.map(|entry| entry["message"].to_string()).collect()
    }

    /// The addresses that were asked for since this was asked last.
    pub fn requests(&self) -> Vec<String> {
        let all = self.command("/se/log", &json!({ "type": "performance" }));
        let all = all.as_array().expect("a log").iter();
        all.filter_map(|entry| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &message["message"];
            let is_request = event["method"] == "Network.requestWillBeSent";
            let url = event["params"]["request"]["url"].as_str()?.to_owned();
            is_request.then_some(url)
        })
        .collect()
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.post(&format!("/session/{}{path}", self.session), body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.request("POST", path, &body.to_string())
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// One request and its answer, in the least HTTP that there is.
    fn request(&self, method: &str, path: &str, body: &str) -> io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all((head + body).as_bytes())?;
        let mut reader = BufReader::new(stream);
        let mut n_bytes = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let field = line
                .split_once(':')
                .map(|(name, value)| (name.to_lowercase(), value));
            if let Some((name, value)) = field
                && name == "content-length"
            {
                n_bytes = value.trim().parse().expect("a number");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        let mut answer = vec![0; n_bytes];
        reader.read_exact(&mut answer)?;
        let mut answer: Value = serde_json::from_slice(&answer)?;
        let value = answer["value"].take();
        if value["error"].is_null() {
            Ok(value)
        } else {
            Err(io::Error::other(value.to_string()))
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; its driver ends then.
        let _ = self.request("DELETE", &format!("/session/{}", self.session), "");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// A path in an address.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte);
    let bytes = path.bytes().map(|byte| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    bytes.collect()
}
