//! Figures and traces reach a collector: a server on loopback that takes what OTLP over HTTP posts.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::daemon::{Daemon, Place};

/// A path, what came with it, and the body.
type Post = (String, String, Vec<u8>);

struct Collector {
    url: String,
    posts: Arc<Mutex<Vec<Post>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let posts = Arc::<Mutex<Vec<Post>>>::default();
        let taken = posts.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let taken = taken.clone();
                std::thread::spawn(move || {
                    let mut reader = BufReader::new(stream);
                    while let Some(post) = read_post(&mut reader) {
                        taken.lock().expect("whole").push(post);
                        let answer =
                            "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n";
                        if reader.get_mut().write_all(answer.as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        Self { url, posts }
    }

    fn wait_for(&self, path: &str, words: &[&str]) -> Post {
        let began = Instant::now();
        loop {
            let posts = self.posts.lock().expect("whole").clone();
            let has = |body: &[u8], word: &str| body.windows(word.len()).any(|part| part == word.as_bytes());
            if let Some(post) =
                posts.iter().find(|(at, _, body)| at == path && words.iter().all(|word| has(body, word)))
            {
                return post.clone();
            }
            let paths: Vec<_> = posts.iter().map(|(at, _, body)| (at, body.len())).collect();
            assert!(began.elapsed() < Duration::from_secs(30), "no {path} with {words:?}; there came {paths:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn read_post(reader: &mut impl BufRead) -> Option<Post> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let path = head.split_whitespace().nth(1)?.to_owned();
    let length = head.to_lowercase().split("content-length: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, head, body))
}

#[test]
fn a_turn_is_a_span_and_a_figure_with_the_names_others_know() {
    let collector = Collector::start();
    let place = Place::with_teams();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("read");
    let url = &collector.url;
    place.configure(&format!(
        "{config}telemetry: {{ otlp: '{url}', interval: 300ms, headers: {{ x-key: made-up-secret }} }}\n"
    ));
    let daemon = Daemon::on(place);
    let told = daemon.iris(&["tell", "alpha", "hi", "--json"]).json();
    let turn = told["turn"].as_str().or(told["turnId"].as_str()).expect("a turn").to_owned();

    let session = "gen_ai.conversation.id";
    let names = ["invoke_agent alpha", session, "gen_ai.operation.name", "gen_ai.usage.output_tokens", turn.as_str()];
    let (_, head, _) = collector.wait_for("/v1/traces", &names);
    assert!(head.contains("x-key: made-up-secret"), "{head}");
    let figures = ["gen_ai.client.operation.duration", "gen_ai.agent.name", "alpha", "service.name"];
    collector.wait_for("/v1/metrics", &figures);
    let shown = daemon.iris(&["config", "show"]).ok();
    assert!(!shown.contains("made-up-secret"), "{shown}");
}

/// What an agent says of its failure may hold anything.
#[test]
fn no_secret_leaves_with_a_span() {
    let collector = Collector::start();
    let place = Place::with_teams();
    let key = "sk-ant-api03-made-up-for-a-test";
    let script = format!("default: [{{ fail: 'refused {key} of hunter22' }}]\n");
    std::fs::write(place.path("script.yaml"), script).expect("a script");
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("read");
    let config = config.replace("agent: scripted", "env: { THE_PASSWORD: hunter22 }, agent: scripted");
    place.configure(&format!("{config}telemetry: {{ otlp: '{}', interval: 300ms }}\n", collector.url));
    let daemon = Daemon::on(place);
    daemon.iris(&["tell", "alpha", "hi"]);
    let (_, _, body) = collector.wait_for("/v1/traces", &["invoke_agent alpha", "refused"]);
    let body = String::from_utf8_lossy(&body).into_owned();
    assert!(body.contains("refused sk-ant-*** of ***"), "{body}");
}

/// A collector that is away is no reason for anything to fail or to wait. It is said once.
#[test]
fn nobody_has_to_listen() {
    let place = Place::with_teams();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("read");
    place.configure(&format!("{config}telemetry: {{ otlp: 'http://127.0.0.1:9', interval: 100ms }}\n"));
    let daemon = Daemon::on(place);
    assert!(daemon.iris(&["tell", "alpha", "hi"]).ok().contains("You said: hi"));
    let times = || daemon.log().matches("the collector of telemetry.otlp takes nothing").count();
    let began = Instant::now();
    while times() == 0 {
        assert!(began.elapsed() < Duration::from_secs(20), "{}", daemon.log());
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(times(), 1, "{}", daemon.log());
}

/// One that takes what is sent and never answers. `iris down` says what it waits for, and it is no agent.
#[test]
fn a_collector_that_hangs_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let place = Place::with_teams();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("read");
    place.configure(&format!("{config}telemetry: {{ otlp: 'http://{address}', interval: 1h }}\n"));
    let daemon = Daemon::on(place);
    let ran = daemon.iris(&["down"]);
    assert!(ran.stderr.contains("waiting for the daemon to end"), "{ran:?}");
    assert_eq!(ran.ok(), "iris is down\n");
    let log = daemon.log();
    // What the exporter says when its own time is up would come before.
    let given_up = log.find("the last traces and figures were not taken").expect("it says so");
    assert!(!log[..given_up].contains("the collector of telemetry.otlp takes nothing"), "{log}");
}
