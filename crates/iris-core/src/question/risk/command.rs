//! The risk of a line for a shell. It is read as words, without the quotes and backslashes that a shell takes away, and
//! rated up by what is found in it; only a closed list of commands is ever rated low.

mod destroy;
mod look;
mod program;
mod reach;

use super::{Judged, Place};
use crate::visible::acts;
use destroy::{destroys, empties};
use look::look;
use program::{awk_runs, holds_program};
use reach::{made_up, reaches};

/// Longer commands are not read to their end by everybody.
const LONG: usize = 2000;

pub(super) fn judge(command: &str, place: Place<'_>) -> Judged {
    if command.chars().any(|c| acts(c) && !matches!(c, '\n' | '\t')) {
        return super::hidden();
    }
    let commands = simple_commands(command);
    let why = commands
        .iter()
        .find_map(destroys)
        .or_else(|| commands.iter().find_map(holds_program))
        .or_else(|| awk_runs(&commands))
        .or_else(|| empties(command, &commands))
        .or_else(|| commands.iter().find_map(|one| reaches(one, place)))
        .or_else(|| made_up(command))
        .or_else(|| (command.len() > LONG).then(|| format!("it is {} characters long", command.chars().count())));
    match why {
        Some(why) => Judged::high(why),
        None => look(command, place).unwrap_or_else(|| Judged::medium("it runs a command")),
    }
}

/// One command of a line.
#[derive(Debug, Default)]
struct Simple {
    /// What another wrote goes into it.
    is_fed: bool,
    words: Vec<String>,
    /// Which of them are values: they stand behind a `=`.
    values: Vec<usize>,
}

/// The commands of a line. Quotes and backslashes are taken away and what they held is read like the rest: a quoted command
/// may be run as well, and reading too much of it only rates it up.
fn simple_commands(command: &str) -> Vec<Simple> {
    let plain: String = command.replace("\\\n", "").chars().filter(|c| !matches!(c, '\\' | '\'' | '"')).collect();
    let mut commands = vec![Simple::default()];
    let (mut word, mut is_value) = (String::new(), false);
    for c in plain.chars().chain(Some('\n')) {
        let ends_command = ";|&()`{}\n".contains(c);
        if c.is_whitespace() || ends_command || "<>=,$".contains(c) {
            let last = commands.last_mut().expect("there is one");
            if !word.is_empty() {
                last.values.extend(is_value.then_some(last.words.len()));
                last.words.push(std::mem::take(&mut word));
            }
            is_value = matches!(c, '=' | ',') && !last.words.is_empty();
        } else {
            word.push(c);
        }
        if ends_command {
            let last = commands.last().expect("there is one");
            // `|&` and `| (` go on with a pipe; `||` is none.
            let goes_on = last.is_fed && last.words.is_empty();
            commands.push(Simple { is_fed: (c == '|') != goes_on, ..Simple::default() });
        } else if c == '<' {
            commands.last_mut().expect("there is one").is_fed = true;
        }
    }
    commands.retain(|command| !command.words.is_empty());
    commands
}

/// The name of a program, without where it is.
fn name(word: &str) -> String {
    word.rsplit('/').next().unwrap_or(word).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Risk;
    use crate::question::risk::as_written;

    fn check(expected: Risk, commands: &[&str]) {
        for command in commands {
            let judged = judge(command, Place { folder: "/srv/site", real: as_written });
            assert_eq!(judged.risk, expected, "{command:?}: {}", judged.why);
        }
    }

    #[test]
    fn a_closed_list_only_looks() {
        check(
            Risk::Low,
            &[
                "ls -la src",
                "cat 'a file'",
                "grep -rn x src",
                "grep -n 'fn .*[a-z]{2}' src/main.rs",
                "grep --color=never x src",
                "du -sh src",
                "date",
                "date -u +%s",
                "echo hello",
                "rg -n x",
            ],
        );
    }

    #[test]
    fn where_a_pattern_or_a_link_in_a_folder_leads_cannot_be_known() {
        check(
            Risk::Medium,
            &[
                "cat d/*/passwd",
                "cat a*",
                "cat alin?",
                "cat [a]link",
                "cat {a,b}link",
                "cat 'a'*",
                "ls *.rs",
                "echo d/*/*",
                "grep -R root .",
                "grep -rnR root .",
                "grep --dereference-recursive root .",
                "grep --deref root .",
                "ls -L d",
                "ls -laL d",
                "ls --dereference d",
                "du -L .",
                "du --files0-from=list",
                "wc --files0=list",
                "stat -L d",
                "diff -r d e",
                "grep -rnf/etc/passwd x",
            ],
        );
    }

    #[test]
    fn what_stands_in_one_word_with_its_flag_is_read_like_a_word_of_its_own() {
        check(
            Risk::High,
            &["grep -f/etc/passwd x", "grep -f../x y", "grep -f~/x y", "grep --file=/etc/passwd x", "tar -C/ -xf a"],
        );
        check(Risk::Medium, &["cut -d/ -f2 x", "awk -F/ x", "make -j4", "tar -Cbuild -xf a"]);
        check(Risk::Low, &["head -n5 x", "head -c-5 x", "ls -w80"]);
    }

    #[test]
    fn what_is_not_on_the_list_is_never_low() {
        check(
            Risk::Medium,
            &[
                "make",
                "lsof",
                "LS",
                "find . -name x",
                "x=1 ls",
                "ls > out",
                "cat <<< x",
                "date -s 12:00",
                "date 0101",
                "date --set=12:00",
                "rg --pre ./x y",
                "file -C -m x",
                "diff --output=x a b",
                "sed -i s/a/b/ x",
                "tee x",
                "git commit -m done",
                "git commit -m 'more\n> than before'",
                "git restore --staged x",
                "git commit -m 'Restore the old order'",
                "git checkout -b x",
                "git checkout main",
                "echo x >> y",
                "make 2> y",
                "cat > y <<EOF\n> **Note**\nEOF",
                "echo \"a b\" | wc",
                "cargo test -- --nocapture",
                "bash build.sh",
                "make || bash build.sh",
                "cat package.json | grep node",
            ],
        );
    }

    #[test]
    fn quotes_spaces_and_backslashes_hide_nothing() {
        check(
            Risk::High,
            &[
                "git reset --hard",
                "git reset  --hard",
                "git\treset\t--hard HEAD~1",
                "git reset -q --hard",
                "git reset \\\n--hard",
                "git clean -fdx",
                "git clean -xdf",
                "git checkout -- .",
                "git checkout .",
                "git checkout HEAD .",
                "git checkout -f main",
                "git restore .",
                "git restore src/main.rs",
                "git -C site restore x",
                "git restore --staged --worktree x",
                ": > src/main.rs",
                ":> src/main.rs",
                "> src/main.rs",
                "make; >src/main.rs",
                "bash -c ': > x'",
                "cp /dev/null x",
                "cat /dev/null > x",
                "git branch -D x",
                "find . -delete",
                "find . -name x -exec ls {} +",
                "r\\m -rf x",
                "r''m x",
                "\"rm\" x",
                "r\\\nm x",
                "bash -c 'rm x'",
                "rm${IFS}x",
                "$(rm x)",
                "`rm x`",
                "x=$(rm y)",
                "mkfs.ext4 disk",
                "git push  --force",
            ],
        );
    }

    #[test]
    fn what_is_piped_into_a_shell_is_not_known() {
        check(
            Risk::High,
            &[
                "echo x | sh",
                "echo x |sh",
                "echo x|bash",
                "cat x | /bin/sh -s",
                "echo x |& sh",
                "cat x | env sh",
                "cat x | (sh)",
                "cat x |\nsh",
                "echo x | python3",
                "ls | xargs touch",
                "bash < x",
                "sh <<< x",
                "sh <(cat x)",
                "echo eA== | base64 -d",
                "$'\\x72\\x6d' x",
                "$cmd x",
                "a=r; b=m; $a$b x",
                "/bin/r? x",
                "cat $HOME/.netrc",
                "cat \"$HOME\"/x",
                "cat ~/.netrc",
                "cat --number=/etc/passwd",
            ],
        );
    }

    #[test]
    fn a_program_in_the_words_of_a_command_is_not_read() {
        check(
            Risk::High,
            &[
                "python3 -c 'import os'",
                "python3.12 -Ic 'import os'",
                "env X=1 python -W ignore -c 'import os'",
                "perl -e 'unlink x'",
                "perl -i.bak -pe 's/a/b/' x",
                "ruby -rset -e 'p 1'",
                "node -e 'f()'",
                "node --eval 'f()'",
                "node -r ./x -p 1",
                "php -r 'f();'",
                "deno eval 'f()'",
                "node --input-type=module -e 'f()'",
                "node --max-old-space-size=4096 -e 'f()'",
                "node --eval='f()'",
                "perl -MFile::Path=remove_tree,make_path -e 'f()'",
                "php -d memory_limit=512M -r 'f();'",
                "python3 -X utf8=1 -c 'f()'",
                "npx tsx -e 'f()'",
                "ts-node -e 'f()'",
                "ipython -c 'f()'",
                "julia -e 'f()'",
                "elixir -e 'f()'",
                "bun -e 'f()'",
                "Rscript -e 'f()'",
                "R -e 'f()'",
                "lua -e 'f()'",
                "osascript -e 'f()'",
                "erl -noshell -eval 'f().'",
                "vim -es -c '!id' -c q",
                "python3 - <<'EOF'\nimport os\nEOF",
                "python3.12 <<EOF\nimport os\nEOF",
                "awk '{system($1)}' x",
                "awk 'BEGIN { \"date\" | getline x }'",
            ],
        );
        check(
            Risk::Medium,
            &[
                "python3 script.py",
                "python3 script.py -c x",
                "python3 -m pytest -c setup.cfg",
                "python3 -X dev script.py",
                "python3 --version",
                "perl -Mfeature script.pl",
                "ruby -rset x.rb",
                "node server.js -e production",
                "node --test",
                "node --max-old-space-size=4096 server.js -e production",
                "tsx server.ts -e production",
                "julia --project=. run.jl",
                "php -d memory_limit=1 x.php",
                "npm run node",
                "awk -F: '{print $1}' x",
            ],
        );
    }
}
