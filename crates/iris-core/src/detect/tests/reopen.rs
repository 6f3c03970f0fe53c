//! Closings that ask after all, waiting that is not for the human, and steps that wait for one of theirs.

use super::*;

/// The last clause decides if it has a name for what is to be done.
#[test]
fn a_closing_may_ask_before_it_ends() {
    check_asking(
        &[
            "Does that clear it up, or should I walk through a second example where it fails?",
            "Does that help, or do you want me to draw the sequence diagram?",
            "Ist das klar, oder soll ich noch ein zweites Beispiel durchgehen?",
            "¿Queda claro, o quieres que haga un segundo ejemplo?",
            "Faz sentido, ou quer que eu mostre o diagrama?",
            "这样清楚了吗，还是要我再画一张时序图？",
            "Repository initialised. What's next — shall I make the first commit?",
            "仓库已初始化。接下来做什么——要我先提交一次吗？",
            "Danach kann ich noch den alten Zweig löschen — soll ich das gleich mit erledigen?",
        ],
        &[
            "Does that make sense, or is anything unclear?",
            "Does that clear it up, or do you have other questions?",
            "Repository initialised. What's next?",
            "Repository initialised. What's next on your list?",
            "Danach kann ich noch den alten Zweig löschen, falls du magst.",
        ],
    );
}

/// What runs answers by itself.
#[test]
fn who_waits_for_a_run_waits_for_nobody() {
    check_asking(
        &[
            "Ich warte auf deine Antwort.",
            "Die Tests sind grün. Ich warte auf dein Okay.",
            "O parser foi dividido. Aguardo sua revisão antes de seguir.",
            "I'm waiting for your results from the device.",
        ],
        &[
            "Tasks 2 und 3 laufen. Ich warte auf die Ergebnisse.",
            "Beide Agenten laufen noch. Ich warte auf ihre Meldung.",
            "Ich warte auf den Build und melde mich danach.",
            "Die Migration läuft im Hintergrund. Ich warte auf das Ende des Laufs.",
            "Os dois agentes estão rodando. Aguardo os resultados.",
            "I due agenti sono in esecuzione. Aspetto i risultati.",
            "I due agenti sono in esecuzione. Attendo la notifica.",
            "两个代理正在运行，我在等结果。",
        ],
    );
}

/// "Whatever comes next" closes; with a failure before it, nothing was done that it could close.
#[test]
fn what_to_do_next_is_left_open() {
    check_asking(
        &[
            "The export failed twice. Let me know what you'd like to try next.",
            "I need the table name. Let me know what you'd like to call it.",
            "Čím chceš začít — testy, nebo dokumentací?",
        ],
        &[
            "The venv is active. Let me know what you'd like to install or run next.",
            "Done. Tell me what you want to work on next.",
            "The server is up on port 8080. What would you like to do with it?",
            "Server läuft auf Port 8080. Was möchtest du damit machen?",
            "Hotovo, testy prošly. Čím chceš pokračovat?",
            "Hotovo, vše je nasazené. Co chceš dělat dál?",
            "页面做完了，有什么想改的吗？",
            "部署完成。有什么需要调整的吗？",
        ],
    );
}

/// Nothing goes on until somebody has looked, agreed or said which.
#[test]
fn what_is_handed_over_waits() {
    check_asking(
        &[
            "The parser is split. No commit was made. Awaiting review.",
            "O parser foi dividido e nada foi commitado. Aguardando revisão.",
            "O parser foi dividido; nada foi commitado. Parado para sua revisão.",
            "파서를 분리했고 커밋은 하지 않았습니다. 검토를 기다리겠습니다.",
            "下一步是 C4（清理旧表），需要你授权。",
            "下一步要删除旧表，需要您批准。",
            "方案写好了。现在要开始实现吗？ 第一步是数据库迁移，半小时就能做完。",
            "Both would work. The ball is in your court.",
            "Beides geht. Der Ball liegt bei dir.",
            "Everything else is merged; the two open questions above are waiting on you.",
            "I'll write both into the decision log once you've picked the name.",
            "You wanted clarity first. Say build and I start on the gateway.",
            "The plan is above. Say go and I'll start.",
            "Let me know when you want me to continue with the remaining screens!",
            "One point stays open: the spec doesn't say whether the code is trimmed.",
            "Ein Punkt bleibt offen: Die Spec sagt nicht, ob der Code getrimmt wird.",
            "还有一点未定：规格里没有写代码要不要去空格。",
            "Necesito una decisión sobre la retención antes de seguir.",
            "Preciso de uma decisão sobre a retenção antes de seguir.",
            "Нужно решение по сроку хранения, прежде чем продолжать.",
            "Entscheidung nötig: Tabelle behalten oder löschen.",
            "Decisione da prendere: tenere la tabella o eliminarla.",
            "残したい設定は何がありますか？それによって方針が変わります。",
        ],
        &[
            "The pull request is open and awaiting review by the maintainers.",
            "O PR está aguardando revisão dos mantenedores.",
            "这个接口需要用户授权才能调用。",
            "The queue is waiting on the worker, and the worker on the lock.",
            "Once you've picked a plan on the website, you can log in.",
            "The tests pass. Say the word and I'll push.",
            "Die Entscheidung war nötig: Die Tabelle ist gelöscht.",
            "Let me know when you want to try it.",
            "The spec doesn't say whether the code is trimmed, so I trim it.",
            "STEP 7 — Check dry run\nConfirm that DRY_RUN=true is in the .env before running.\n```\npython main.py\n```\nNote: \
             the position stays open.",
        ],
    );
}

/// The agent's step comes after one of theirs.
#[test]
fn a_step_waits_for_theirs() {
    check_asking(
        &[
            "Only you can run the export. After you've exported it, I'll commit and push.",
            "The export only runs on your side. Once you've run it, I'll commit and push.",
            "O export só você consegue rodar. Depois que você exportar, eu commito e faço o push.",
            "El export solo lo puedes lanzar tú. Cuando lo hayas hecho, hago el commit.",
            "导出只有你能运行。你导出之后，我就提交。",
            "The key into `.env` plus the new address, and I'll take it from there.",
            "Das Token in den Tresor und den Hostnamen, dann übernehme ich den Rest.",
            "Say the word once you've closed the editor and I'll swap the file.",
            "Run the export and save it under docs, then tell me to commit and I'll index it.",
            "1. Run the survey again.\n2. Save it.\n3. Send me the new file. I'll replace the bad one and restart the run.\n\n\
             The rover may need a kick as well: it holds stale data against the old base.",
            "- The parser is done.\n- The printer is done.\n- Next: the linker — say \"next\" to continue.",
        ],
        &[
            "Once you've run the migration, the new column shows up.",
            "After you export it, the file is in `out/`.",
            "Depois que você exportar, o arquivo aparece em out/.",
            "If you send me the host name, I'll take it from there.",
            "Say the word and I'll take it from there.",
            "Say the word when you're ready and I'll push.",
            "Next steps:\n- Build the image.\n- Paste the digest into the manifest.",
            "Next steps:\n- Build the image.\n- Confirm the digest with the registry.",
        ],
    );
}

/// A page breaks lines before a quotation and after a name, too.
#[test]
fn a_broken_line_goes_on_with_any_sign() {
    check(
        "The importer reads both tables, and only one of them is still in use. Is the second one\n  \
         \"legacy\" by now?",
        DetectedKind::Blocking,
        "Is the second one\n  \"legacy\" by now?",
    );
    check("Should I remove `old_table`\nas well?", DetectedKind::Approval, "Should I remove `old_table`\nas well?");
}

/// Who says what he would do has not done it.
#[test]
fn a_preference_is_no_answer() {
    check_asking(
        &[
            "1. Who runs the import? I'd run it step by step.\n2. One table or two? I'd keep one.\n3. Drop the old index? I'd \
             drop it.",
            "- Eine Datei oder zwei? Ich würde eine behalten.\n- Den alten Index löschen? Ich würde ihn löschen.",
        ],
        &[
            "- Why two files? I'd have needed a cycle of imports otherwise.",
            "- Is it encrypted? At rest and in transit.\n- Is it backed up? Every night.",
        ],
    );
}
