//! What the human is to do before the agent goes on, and what only tells how to use what is finished.

use super::*;

#[test]
fn what_is_to_be_done_and_then_told_is_waited_for() {
    check_waiting(
        Waiting::Ask,
        &[
            "Please check the page and confirm that the header is back.",
            "Once you've logged in, let me know and I'll continue with the rollout.",
            "Bitte führe das Skript noch einmal aus und schick mir die Ausgabe.",
            "Sobald du eingeloggt bist, sag Bescheid, dann mache ich weiter.",
            "Lance la commande et dis-moi ce qu'elle affiche.",
            "Une fois connecté, préviens-moi et je continue.",
            "Cuando lo tengas, avísame y continúo con el despliegue.",
            "Execute o comando e me diga o que aparece.",
            "Esegui il comando e dimmi cosa vedi.",
            "Когда сделаете, дайте знать — продолжу.",
            "请运行这条命令，然后告诉我结果。",
            "插好数据线告诉我，我马上安装。",
            "请输入数据库密码，我来完成迁移。",
            "你先跑一遍测试，把报错贴出来，我再继续分析。",
            "ログインできたら教えてください。続きを進めます。",
            "로그인하시면 알려주세요. 이어서 진행하겠습니다.",
        ],
    );
}

#[test]
fn what_is_told_only_if_it_goes_wrong_is_not_waited_for() {
    check_waiting(
        Waiting::Offer,
        &[
            "Please test it and let me know if you run into any issues.",
            "Probier es aus und sag Bescheid, falls es hakt.",
            "Teste et dis-moi si ça marche.",
            "Prueba el formulario y avísame cualquier problema.",
            "Teste e me diga se funciona.",
            "Prova e dimmi se funziona.",
            "Riavvia il servizio e, se non parte ancora, scrivimi.",
            "Probier es gern aus und sag Bescheid.",
            "Проверьте и напишите, если что-то не так.",
            "请刷新页面试试，如果还有问题告诉我，我会继续排查。",
        ],
    );
}

#[test]
fn how_to_use_what_is_finished_asks_nothing() {
    check_waiting(
        Waiting::None,
        &[
            "Please restart the dev server and refresh the page; the banner should be gone.",
            "Once you've installed the dependencies, run `make dev` to start it.",
            "Führe `npm run build` aus, um das Paket zu erzeugen.",
            "Une fois le serveur lancé, ouvre la page d'accueil.",
            "Ejecuta `npm start` y abre el navegador.",
            "Запустите `npm start` и откройте браузер.",
            "请在终端执行这条命令即可启动服务。",
            "設定が完了したら、`npm start` を実行してください。",
            "서버를 재시작한 뒤 페이지를 새로고침하세요.",
        ],
    );
}

#[test]
fn a_step_after_an_agreement_waits_for_it() {
    for ask in [
        "If everything looks right, I'll start with the migration.",
        "Wenn das passt, fange ich mit Schritt 2 an.",
        "Si ce plan te convient, je commence par la base de données.",
        "Si todo se ve bien, empiezo con la fase 1.",
        "Se estiver tudo certo, começo pela fase 1.",
        "Se il piano va bene, procedo con la fase 1.",
        "Если возражений нет, начну с первой фазы.",
        "前半部分如果你没意见，我接下来就写后半部分。",
        "设计如上，若无异议，我接下来会写实施计划。",
        "問題なければ、この方針で実装を進めます。",
        "괜찮으시면 1단계부터 시작하겠습니다.",
    ] {
        check(&format!("1. A\n2. B\n\n{ask}"), DetectedKind::Approval, ask);
    }
    check_waiting(Waiting::None, &["If everything looks right, you can merge the branch.", "没问题，我来改。"]);
}

#[test]
fn what_is_not_needed_and_what_others_do_is_not_asked_for() {
    check_waiting(
        Waiting::None,
        &[
            "I used a local cache; no changes needed from you.",
            "Nothing else is required from you.",
            "The script will read the config and send the report to the server.",
            "不需要你提供密钥，部署会自动完成。",
            "有了这些改进，系统会更稳定。",
            "这个接口处理起来比较麻烦，因此改用了批处理。",
            "现在系统会把错误信息写入文件，方便以后排查。",
            "项目目前还缺少单元测试。",
        ],
    );
}

#[test]
fn a_name_that_stands_out_among_words_is_no_question() {
    check_waiting(
        Waiting::None,
        &[
            "I put the note between **Which plan is yours?** and **Refunds**, as planned.",
            "The card *Which one do you want?* now has its own page.",
        ],
    );
    check("**Shall I push?** if not, I'd wait.", DetectedKind::Approval, "Shall I push?");
}

#[test]
fn an_example_of_a_question_is_part_of_it() {
    check_waiting(
        Waiting::Offer,
        &[
            "Done. Do you need help with any other part? Maybe the login page or the settings?",
            "¿Necesitas ayuda con algún otro tema? ¿Quizás con la caché o los índices?",
            "还有其他需要吗？比如测试或者文档？",
        ],
    );
}

#[test]
fn who_greets_has_done_nothing_yet() {
    let hello = "Olá! O projeto está pronto e os testes passaram antes. O que você gostaria de fazer primeiro?";
    check(hello, DetectedKind::Blocking, "O que você gostaria de fazer primeiro?");
    check_waiting(Waiting::Ask, &["Hi! The build is fixed on main. What would you like to work on?"]);
    check_waiting(Waiting::Offer, &["History is fixed and all tests pass. What would you like to work on?"]);
}

#[test]
fn a_sentence_broken_by_the_width_of_the_page_is_one() {
    let ask = "  你想要的是在同一个进程里一直保持连接的交互式命令行，还是每次执行命令时都重新建\n  立连接的简单做法？";
    let found = found(&format!("先看一下现状。\n\n{ask}"));
    assert_eq!(found.question.map(|span| span.text), Some(ask.trim().to_owned()));
    let ask = "Soll ich für die Auswertung der Messwerte aus dem letzten Monat eine\nTabelle anlegen?";
    check(ask, DetectedKind::Approval, ask);
}

#[test]
fn help_that_is_in_a_file_is_not_offered_as_a_question() {
    check_waiting(
        Waiting::Offer,
        &[
            "Need help? See docs/README.md.",
            "¿Necesitas ayuda? Consulta el README.",
            "Precisa de ajuda? Veja o README.",
            "Besoin d'aide ? Consultez le README.",
        ],
    );
    check_waiting(
        Waiting::Ask,
        &["I added logs. Please reproduce the crash once more, then I'll look at them.", "没有收到文件，请重新上传。"],
    );
}

#[test]
fn steps_and_what_the_agent_or_others_do_are_not_wanted_from_the_human() {
    check_waiting(
        Waiting::None,
        &[
            "The user can then choose one of the plans and confirm the payment.",
            "Next, provide the `--token` flag and run the script.",
            "**To run:** open a terminal, paste the command, and press Enter.",
            "I'm going to run the tests now and report back.",
            "Users can paste the link and share the result with friends.",
            "Once you confirm the address, you can log in.",
        ],
    );
    check_waiting(
        Waiting::Ask,
        &[
            "Next, paste the log here and I'll read it.",
            "I need to see the code first. Please add `src/auth.ts` to the chat.",
            "Wenn du nichts dagegen hast, pushe ich jetzt den Branch.",
            "Si tu n'y vois pas d'inconvénient, je fusionne la branche.",
            "Если не возражаете, смержу ветку.",
            "Nothing is changed yet. Let me know when you want me to start.",
            "Once you confirm the address, I'll send the mail.",
            "好的，请说。",
        ],
    );
    check_waiting(
        Waiting::Offer,
        &["Holding here — say the word if you'd like the cleanup too.", "Anything left on the list, or are we done?"],
    );
}
