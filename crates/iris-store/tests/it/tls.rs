//! TLS to a server that talks to nobody without it: who is let in, who is refused, and what is said.

use std::path::Path;

use iris_core::id::NodeId;
use iris_store::{Location, Opening, Store, StoreError};
use iris_testing::postgres::server::Server;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use crate::databases::{Database, new_turn, tell};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut wanted = CertificateParams::new(Vec::new()).expect("no names");
    wanted.distinguished_name.push(DnType::CommonName, name);
    wanted.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(wanted, KeyPair::generate().expect("a key")).expect("an authority")
}

/// A certificate for `localhost`, and its key.
fn signed_by(authority: &Authority) -> (String, String) {
    let key = KeyPair::generate().expect("a key");
    let wanted = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    (wanted.signed_by(&key, authority).expect("signed").pem(), key.serialize_pem())
}

/// Opens it where no other runtime is: the driver for the schema has one of its own.
async fn open(url: String) -> Result<Store, StoreError> {
    let opening = Opening { location: Location::Postgres(url), node: NodeId::new("n"), on_commit: Box::new(|_| {}) };
    tokio::task::spawn_blocking(move || Store::open(opening)).await.expect("opening does not panic")
}

async fn refused(server: &Server, host: &str, words: &str) -> String {
    let error = open(server.tls_url(host, words)).await.err().expect("it is refused");
    assert!(!matches!(error, StoreError::Url(_)), "{error}");
    error.to_string()
}

/// Schema, writer, readers and notices: all of it.
async fn works(server: &Server, host: &str, words: &str) {
    let store = open(server.tls_url(host, words)).await.unwrap_or_else(|error| panic!("{words}: {error}"));
    let mut notices = store.notices();
    notices.changed().await.expect("it listens");
    tell(&store, new_turn("user", "one")).await;
    let sql = "SELECT count(*), count(*) FILTER (WHERE ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
               WHERE application_name LIKE 'iris%'";
    let (all, secure) = store
        .read(move |tx| tx.one(sql, &[]).map(|row| row.expect("a row")).map(|row| (row.int(0), row.int(1))))
        .await
        .expect("read");
    assert_eq!((all, secure), (4, 4), "{words}");
    store.close().await;
}

fn place(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("written");
    path.display().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_who_the_url_says_it_must_be() {
    let (right, wrong) = (authority("right"), authority("wrong"));
    let (certificate, key) = signed_by(&right);
    let Some(server) = Server::with_tls(&certificate, &key) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let root = place(folder.path(), "right root.pem", &right.pem()).replace(' ', "%20");
    let other = place(folder.path(), "wrong.pem", &wrong.pem());

    works(&server, "localhost", "sslmode=require").await;
    works(&server, "localhost", "sslmode=prefer&channel_binding=require").await;
    works(&server, "127.0.0.1", &format!("sslmode=require&sslrootcert={root}")).await;
    works(&server, "127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={root}")).await;
    works(&server, "localhost", &format!("sslmode=verify-full&sslrootcert={root}")).await;

    let nobody = "there is no TLS connection to the database (the server's certificate is signed by none of the roots \
                  that are trusted)";
    for mode in ["require", "verify-ca", "verify-full"] {
        assert_eq!(refused(&server, "localhost", &format!("sslmode={mode}&sslrootcert={other}")).await, nobody);
    }
    assert_eq!(refused(&server, "localhost", "sslmode=verify-full").await, nobody, "the system does not know it");
    let elsewhere = refused(&server, "127.0.0.1", &format!("sslmode=verify-full&sslrootcert={root}")).await;
    assert!(elsewhere.contains("127.0.0.1") && elsewhere.contains("localhost"), "{elsewhere}");
    let plain = refused(&server, "localhost", "sslmode=disable").await;
    assert!(plain.contains("no encryption"), "{plain}");

    let missing = refused(&server, "localhost", "sslmode=verify-full&sslrootcert=/nowhere/root.pem").await;
    assert!(missing.contains("sslrootcert=/nowhere/root.pem cannot be used: No such file"), "{missing}");
    let empty = place(folder.path(), "empty.pem", "nothing\n");
    let empty = refused(&server, "localhost", &format!("sslmode=verify-full&sslrootcert={empty}")).await;
    assert!(empty.contains("there is no certificate in it"), "{empty}");
}

/// As most who make one for their own server do.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_signed_itself_may_be_the_root() {
    let mut wanted = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    wanted.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let certificate = wanted.self_signed(&key).expect("signed").pem();
    let Some(server) = Server::with_tls(&certificate, &key.serialize_pem()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let root = place(folder.path(), "server.pem", &certificate);
    works(&server, "localhost", &format!("sslmode=verify-full&sslrootcert={root}")).await;
    let other = place(folder.path(), "other.pem", &authority("other").pem());
    refused(&server, "localhost", &format!("sslmode=verify-full&sslrootcert={other}")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_tls_is_reached_unless_tls_is_wanted() {
    let Some(Database { location: Location::Postgres(url), .. }) = Database::postgres() else { return };
    for words in ["", "?sslmode=prefer", "?sslmode=disable"] {
        let store = open(format!("{url}{words}")).await.unwrap_or_else(|error| panic!("{words}: {error}"));
        tell(&store, new_turn("user", "one")).await;
        store.close().await;
    }
    for words in ["?sslmode=require", "?sslmode=verify-full"] {
        let error = open(format!("{url}{words}")).await.err().expect("it is refused");
        assert_eq!(
            (error.to_string().as_str(), error.hint().is_some()),
            ("there is no TLS connection to the database (server does not support TLS)", true)
        );
    }
}
