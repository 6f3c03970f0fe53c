//! Seeds and what becomes of them when they are broken at random: nothing panics. A few seconds here; `cargo xtask fuzz`
//! goes on for as long as one likes, and looks for new ways by itself.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use iris_testing::fuzz;

/// Also those in tasks, which do not fail a test by themselves.
static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        usual(panic);
    }));
}

fn seeds(kind: &str) -> Vec<Vec<u8>> {
    // What agents write was recorded for the tests of their reader.
    let folder = if kind == "lines" { "../iris-agents/tests/transcripts/2.1.325" } else { &format!("seeds/{kind}") };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(folder).expect("seeds").map(|file| file.expect("a file").path());
    files.map(|file| std::fs::read(file).expect("a seed")).collect()
}

/// The same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).expect("small")
    }

    fn broken(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(6) {
            let (at, other) = (self.below(bytes.len()), self.below(seeds.len()));
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at.min(bytes.len()), u8::try_from(self.below(256)).expect("a byte")),
                2 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                3 if !bytes.is_empty() => drop(bytes.drain(at..(at + self.below(20)).min(bytes.len()))),
                4 => bytes.extend_from_slice(&seeds[other][self.below(seeds[other].len())..]),
                _ => {
                    let word: &[u8] = [
                        &b"9223372036854775807"[..],
                        b"-1",
                        b"null",
                        b"\"\"",
                        b"\\u0000",
                        b"\xff\xfe",
                        b"%00",
                        b"\r\n\r\n",
                        b"[[[[[[[[",
                        b"{\"a\":{\"a\":{\"a\":",
                        b"&a [*a]",
                        b"1e999",
                        b": ",
                        b"${X:-}",
                        b"text/event-stream",
                    ][self.below(15)];
                    let at = at.min(bytes.len());
                    bytes.splice(at..at, word.iter().copied());
                }
            }
        }
        bytes
    }
}

fn go_on(kind: &str, mut with: impl FnMut(&[u8])) {
    let seconds = std::env::var("IRIS_TEST_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(5);
    count_panics();
    let (seeds, mut dice, began) = (seeds(kind), Dice(0x2545_f491_4f6c_dd1d), Instant::now());
    seeds.iter().for_each(|seed| with(seed));
    let mut tries = seeds.len();
    while began.elapsed() < Duration::from_secs(seconds) {
        let broken = dice.broken(&seeds);
        with(&broken);
        tries += 1;
        assert_eq!(PANICS.load(Ordering::SeqCst), 0, "{kind}: {:?}", String::from_utf8_lossy(&broken));
    }
    eprintln!("{kind}: {tries} tries");
    assert!(tries > seeds.len(), "nothing was tried");
}

#[test]
fn no_connection_makes_the_doors_panic() {
    let doors = fuzz::Doors::open().expect("open");
    // The seeds are what they should be: known to the doors.
    let heard = doors.knock(&std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/seeds/doors/teams")).expect("a seed"));
    assert!(heard.expect("an answer").starts_with(b"HTTP/1.1 200"));
    go_on("doors", |bytes| drop(doors.knock(bytes).expect("the doors are open")));
    let heard = doors.knock(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("an answer");
    assert!(heard.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&heard));
}

#[test]
fn no_line_of_an_agent_makes_its_reader_panic() {
    go_on("lines", fuzz::lines);
}

#[test]
fn no_config_makes_its_reader_panic() {
    go_on("config", fuzz::config);
}
