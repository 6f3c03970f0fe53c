//! What of a home is the demo's. A name alone does not say it: users have teams and folders of their own.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use iris_core::fault::FaultKind;
use iris_engine::config::{Config, TeamConfig};

use super::{MEMBERS, Member};
use crate::failure::Failure;
use crate::place;

pub struct Ground {
    pub folder: PathBuf,
    pub shop: PathBuf,
    pub scripts: PathBuf,
    /// Says that the folders beside it were made for the demo.
    pub mark: PathBuf,
    /// The config as it was without the demo.
    pub config: PathBuf,
}

impl Ground {
    pub fn at(home: &Path) -> Self {
        let folder = home.join("demo");
        let (shop, scripts, mark) = (folder.join("shop"), folder.join("scripts"), folder.join(".made-by-iris"));
        let config = folder.join("config.yaml.before");
        Self { folder, shop, scripts, mark, config }
    }

    pub fn script(&self, member: &Member) -> PathBuf {
        self.scripts.join(member.file)
    }

    pub fn mark(&self) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        std::fs::write(
            &self.mark,
            "`iris demo clean` takes away shop with all that is in it, the demo's scripts and this file.\n",
        )
    }

    /// For its owner only: there may be secrets in it.
    pub fn keep_config(&self, text: &str) -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&self.config)?;
        file.write_all(text.as_bytes())
    }

    pub fn is_marked(&self) -> bool {
        self.mark.is_file()
    }

    /// Whether a team works where the demo does, by the demo's script.
    pub fn owns(&self, member: &Member, team: &TeamConfig) -> bool {
        team.path == self.shop && team.script.as_ref() == Some(&self.script(member))
    }

    /// The members that are teams now.
    pub fn teams<'a>(&'a self, config: &'a Config) -> impl Iterator<Item = &'static Member> + 'a {
        let owns = |member: &&Member| config.teams.get(&member.team()).is_some_and(|team| self.owns(member, team));
        MEMBERS.iter().filter(owns)
    }

    /// Whether a demo was made here and not taken away yet.
    pub fn is_there(&self, config: &Config) -> bool {
        self.is_marked() || self.teams(config).next().is_some()
    }

    pub fn refuse_strangers(&self, config: &Config) -> Result<(), Failure> {
        let elsewhere = "try the demo in a home of its own: `iris --home /tmp/iris-demo up --demo --port 0`";
        let conflict = |what: String| Err(Failure::fault(FaultKind::Conflict, what).hint(elsewhere));
        for member in &MEMBERS {
            if config.teams.get(&member.team()).is_some_and(|team| !self.owns(member, team)) {
                return conflict(format!("there is a team '{}' that is not the demo's", member.name));
            }
        }
        for folder in [&self.shop, &self.scripts] {
            if folder.exists() && !self.is_there(config) {
                return conflict(format!("{} is there and is not the demo's", place::shown(folder)));
            }
        }
        Ok(())
    }
}
