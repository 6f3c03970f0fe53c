//! The same shape means the same in every language: what runs by itself, what has no name, what was written for others.

use super::*;

#[test]
fn what_runs_by_itself_tells_by_itself() {
    check_asking(
        &[
            "请在服务器上执行脚本，跑完通知我。",
            "Run it and then ping me when it's done.",
            "Reinicia o servidor e me avisa quando terminar.",
            "I need you to tell me when the server is up.",
        ],
        &[
            "任务已在后台启动，完成后会自动通知我。",
            "The watcher will ping me when it finishes.",
            "It will tell me when the queue is empty.",
            "O sistema me avisa quando terminar.",
            "Er meldet sich, wenn der Lauf durch ist.",
        ],
    );
}

#[test]
fn a_moment_is_nothing_to_be_given() {
    check_asking(
        &[
            "Dame la ruta del archivo.",
            "Give me a second example of the input.",
            "Give me a few examples of the input.",
            "Gib mir bitte die Minute, in der der Fehler auftrat.",
        ],
        &[
            "Dame un momento mientras se instala.",
            "Gib mir einen Moment, ich prüfe das.",
            "Give me a minute to check the logs.",
            "Donnez-moi un instant pendant que je relance le serveur.",
            "Me dê alguns segundos enquanto o build termina.",
            "Dammi qualche secondo mentre completo l'analisi.",
            "Дайте мне минуту, я проверю логи.",
            "请给我几秒钟，正在下载。",
        ],
    );
}

#[test]
fn something_else_within_one_of_two_ways_closes_nothing() {
    let two = "Tu veux qu'on migre la base maintenant, ou on garde SQLite et on passe à autre chose ?";
    check(two, DetectedKind::Choice, two);
    check_asking(
        &[
            "Do you want us to go with the proxy, or do we keep the old setup and move on to something else?",
            "¿Quieres que hagamos la migración, o dejamos la tabla como está y pasamos a otra cosa?",
        ],
        &[
            "All tests pass. Do you want to change anything, or is there something else?",
            "Fatto. Vuoi modificare qualcosa, o passiamo ad altro?",
            "C'est fait. Tu veux tester, ou passer à autre chose ?",
        ],
    );
}

#[test]
fn which_steps_come_next_closes() {
    check_asking(
        &["Which steps of the pipeline should I remove?", "Welche Schritte soll ich überspringen?"],
        &[
            "I've finished the refactoring and all tests pass. Which steps would you like to take next?",
            "Die Umstellung ist fertig. Welche Schritte möchtest du als Nächstes gehen?",
            "La page est terminée. Quelles étapes souhaitez-vous entreprendre maintenant ?",
            "He terminado la migración. ¿Qué pasos te gustaría dar ahora?",
            "Concluí a migração. Quais passos você gostaria de dar agora?",
            "La funzione è stata aggiunta. Quali passi vuoi fare adesso?",
            "Я закончил перенос. Какие шаги вы хотите предпринять дальше?",
            "迁移已经完成。接下来你想进行哪些步骤？",
            "Everything is committed. Where would you like to go from here?",
        ],
    );
}

#[test]
fn what_next_may_be_about_something_before_it_names_two_ways() {
    let two = "What should we tackle next for the parser - the error messages, or the recovery?";
    let found = found(two);
    assert_eq!(found.kind, DetectedKind::Choice, "{found:?}");
    assert_eq!(found.options, ["the error messages", "the recovery"]);
    check_asking(
        &["Done with part one. What's next for the module - tests or docs?"],
        &["Done. What should we tackle next - anything on your list?"],
    );
}

#[test]
fn a_verb_that_comes_first_may_be_an_if() {
    check_asking(
        &[
            "Willst du den Port ändern?",
            "Soll ich den Dienst, der gerade läuft, neu starten",
            "Soll ich den Port ändern",
        ],
        &[
            "Willst du den Port ändern, setzt du ihn in der Konfiguration.",
            "Möchtest du mehr Details sehen, kannst du den Log-Level erhöhen.",
            "Soll ich ein Modul laden, schaue ich zuerst in den Cache.",
            "Should you want a larger buffer, set it in the config.",
        ],
    );
}

#[test]
fn a_plan_that_is_to_suit_waits_and_a_result_does_not() {
    for plan in [
        "Read the plan and tell me if it suits you.",
        "Lies den Plan und sag mir, ob er für dich passt.",
        "Lis le plan et dis-moi si ça te va.",
        "Lee el plan y dime si te parece bien.",
        "Leia o plano e me diga se está de acordo.",
        "Ho preparato il piano. Fammi sapere se sei d'accordo.",
        "Прочитайте план и скажите, подходит ли он вам.",
    ] {
        assert_eq!(found(plan).kind, DetectedKind::Approval, "{plan}\n{:?}", found(plan));
    }
    check_asking(
        &[],
        &[
            "The plan is done and deployed. Let me know if it works for you.",
            "Le plan est appliqué. Dis-moi si ça te va.",
            "Test the page and tell me if it suits you.",
            "Provalo e dimmi cosa ne pensi.",
        ],
    );
}

#[test]
fn what_a_draft_asks_is_for_its_readers() {
    check_asking(
        &[
            "Here's the draft:\n\n---\n\nHi Tom,\n\ncan we meet on Monday?\n\n---\n\nShould I send it?",
            "I checked the logs.\n\n---\n\nShould I restart the worker, or do you want to wait?\n\n---\n\nThree jobs wait.",
        ],
        &[
            "Hier ist der Entwurf:\n\n---\n\nWie plant ihr eure Touren? Mit Karte oder verlasst ihr euch auf eine App?\n\n---\n\n\
             Der Einstieg ist kurz.",
            "Here's the post:\n\n---\n\nHow do you handle typos? Fuzzy matching, or do you trust the user?\n\n---\n\nIt is short.",
            "## Draft\n\nHi Tom,\n\nCould you send it again by Friday?\n\n---\n\nI kept the tone friendly.",
            "这是帖子草稿：\n\n---\n\n你们平时怎么记账？用表格还是用软件？\n\n---\n\n开头用数字吸引注意。",
        ],
    );
}

#[test]
fn the_kind_of_two_questions_and_of_a_list() {
    use DetectedKind::{Approval, Blocking, Choice};
    for (kind, text) in [
        (Choice, "Want me to:\n- take the old table out, or\n- leave it as it is?"),
        (Approval, "Want me to:\n- take the old table out, and\n- add an index?"),
        (Choice, "Sollen die alten Felder bleiben? Oder ersetzt die neue Tabelle sie?"),
        (Choice, "你能接受这样的效果吗？还是需要在底层就画出来？"),
        (Approval, "需要我把它改名，或者移动到别的目录吗？"),
        (Approval, "需要重新生成吗？"),
        (Approval, "Want to kick it off now?"),
        (Approval, "¿Empezamos con el inicio de sesión?"),
        (Blocking, "¿Lo reiniciaste?"),
        (Blocking, "現在應該可以用了，有看到按鈕嗎？"),
        (Approval, "Instead of a lock (which is slow), should we use a queue?"),
    ] {
        assert_eq!(found(text).kind, kind, "{text}: {:?}", found(text));
    }
}

#[test]
fn what_follows_once_it_is_known_waits_for_it() {
    check_asking(
        &[
            "The image could be much smaller.\n\nSo, what is it for? Once I know that, I can work out the right scope.",
            "The draft is saved.\n\n**Select:** [A] Look closer [B] Start over [C] Go on to step 2",
        ],
        &["The image could be much smaller.\n\nSo, what is it for? Once the base is cached, only the build matters."],
    );
}
