//! The port: free, ours, or whose?

use std::io::ErrorKind;
use std::net::TcpListener;

use iris_agents::process;
use iris_engine::config::Config;
use iris_engine::home::Home;

use super::finding::Finding;

const CHECK: &str = "port";

pub(super) fn look(home: &Home, config: &Config) -> Finding {
    let named = std::env::var("IRIS_PORT").ok().and_then(|port| port.parse().ok());
    let (host, port) = (config.settings.host.as_str(), named.unwrap_or(config.settings.port));
    if let Some(holder) = home.holder() {
        let url = holder.url.unwrap_or_else(|| format!("{host}:{port}, soon"));
        return Finding::ok(CHECK, format!("the daemon serves on {url}"));
    }
    if port == 0 {
        return Finding::ok(CHECK, "any that is free");
    }
    match TcpListener::bind((host, port)) {
        Ok(_) => Finding::ok(CHECK, format!("{host}:{port} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let who = match owner(port) {
                Some((pid, name)) => format!("process {pid} ({name})"),
                None => "a process of somebody else".to_owned(),
            };
            let help =
                "stop that, or take another port: IRIS_PORT, `settings.port` in config.yaml, or `iris up --port 0`";
            Finding::problem(CHECK, format!("{host}:{port} is used by {who}"), help)
        }
        Err(error) => {
            Finding::problem(CHECK, format!("{host}:{port} cannot be used ({error})"), "set settings.host and .port")
        }
    }
}

/// Who listens on it, if that can be seen: only the processes of the same user can be.
fn owner(port: u16) -> Option<(i32, String)> {
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|table| listeners(&table, port))
        .collect();
    process::list().into_iter().find(|one| has_one_of(one.pid, &sockets)).map(|one| {
        let name = std::fs::read_to_string(format!("/proc/{}/comm", one.pid)).unwrap_or_default();
        (one.pid, name.trim().to_owned())
    })
}

/// The sockets that listen on it, by the numbers they have in the system: `socket:[1234]`.
fn listeners(table: &str, port: u16) -> Vec<String> {
    const LISTENS: &str = "0A";
    let end = format!(":{port:04X}");
    let rows = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows = rows.filter(|row| row.len() > 9 && row[1].ends_with(&end) && row[3] == LISTENS);
    rows.map(|row| format!("socket:[{}]", row[9])).collect()
}

fn has_one_of(pid: i32, sockets: &[String]) -> bool {
    let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let mut targets = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    targets.any(|target| sockets.iter().any(|socket| target.as_os_str() == socket.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_listens_is_found() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (pid, _) = owner(port).expect("it is this very process");
        assert_eq!(u32::try_from(pid), Ok(std::process::id()));
        drop(listener);
        assert_eq!(owner(port), None);
    }
}
