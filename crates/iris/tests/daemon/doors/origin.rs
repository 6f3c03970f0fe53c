//! From where one may ask. It is looked at before the body, whatever credential was sent.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::caller::{bearer, is_problem};
use crate::world::{ECHO, SOON, World, setup};

#[tokio::test]
async fn a_foreign_name_or_page_is_refused_with_the_best_of_credentials() {
    let world = World::new(setup().team("alpha", ECHO));
    let before = world.newest().await;
    let (owner, address) = (bearer(&world.daemon.token), world.daemon.address.clone());
    let port = address.rsplit(':').next().expect("a port");
    let tell = json!({"toTeam": "alpha", "message": "x", "timeout": 0}).to_string();
    let hosts = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.1:{port}"),
        "169.254.169.254".to_owned(),
        format!("iris.localhost:{port}"),
        String::new(),
    ];
    for host in &hosts {
        let headers = [("authorization", owner.as_str()), ("host", host.as_str())];
        let refused = world.send("POST", "/api/teams/tell", &headers, &tell).await;
        assert_eq!(refused.status, 403, "{host}");
        assert!(is_problem(&refused)["detail"].as_str().expect("a detail").contains("host"), "{host}");
    }
    let origins = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("https://{address}"),
        format!("http://{address}.evil.example"),
        format!("http://evil.example#http://{address}"),
        format!("http://127.0.0.1:{}", port.parse::<u16>().expect("a port").wrapping_add(1)),
        format!("http://localhost:{port}"),
        format!("http://{address}/"),
        format!("http://user@{address}"),
        "file://".to_owned(),
        "chrome-extension://abc".to_owned(),
        String::new(),
    ];
    for origin in &origins {
        let headers = [("authorization", owner.as_str()), ("origin", origin.as_str())];
        assert_eq!(world.send("POST", "/api/teams/tell", &headers, &tell).await.status, 403, "{origin}");
        assert_eq!(world.send("GET", "/api/teams", &headers, "").await.status, 403, "{origin}");
        assert_eq!(world.send("GET", "/health", &headers, "").await.status, 403, "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        let headers = [("authorization", owner.as_str()), ("sec-fetch-site", site)];
        assert_eq!(world.send("POST", "/api/teams/tell", &headers, &tell).await.status, 403, "{site}");
    }
    for twice in ["host", "origin"] {
        let value = if twice == "host" { address.clone() } else { format!("http://{address}") };
        let headers = [("authorization", owner.as_str()), (twice, &value), (twice, &value)];
        assert_eq!(world.send("POST", "/api/teams/tell", &headers, &tell).await.status, 403, "two of {twice}");
    }
    assert_eq!(world.newest().await, before, "nothing was changed");
    let own = format!("http://{address}");
    let headers = [("authorization", owner.as_str()), ("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    assert_eq!(world.send("POST", "/api/teams/tell", &headers, &tell).await.status, 200);
}

/// Only the head is ever sent. The answer comes all the same.
#[tokio::test]
async fn nobody_has_to_send_a_body_to_be_refused() {
    let world = World::new(setup().team("alpha", ECHO));
    let (owner, host) = (format!("authorization: {}\r\n", bearer(&world.daemon.token)), &world.daemon.address);
    let own = format!("host: {host}\r\n");
    for (headers, status) in [
        (format!("host: evil.example\r\n{owner}"), 403),
        (format!("{own}origin: http://evil.example\r\n{owner}"), 403),
        (format!("{own}sec-fetch-site: cross-site\r\n{owner}"), 403),
        (own.clone(), 401),
        (format!("{own}{owner}content-type: application/json\r\nidempotency-key: big\r\n"), 413),
        (format!("{own}{owner}content-type: application/json\r\n"), 413),
    ] {
        let mut stream = TcpStream::connect(host).await.expect("connected");
        let head = format!("POST /api/teams/alpha/wake HTTP/1.1\r\n{headers}content-length: 10000000000\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut answer = vec![0; 12];
        let read = tokio::time::timeout(SOON, stream.read_exact(&mut answer)).await;
        read.expect("an answer comes though the body does not").expect("an answer");
        assert_eq!(String::from_utf8_lossy(&answer), format!("HTTP/1.1 {status}"), "{headers}");
    }
}
