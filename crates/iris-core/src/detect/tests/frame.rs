//! The same few words ask or do not, by what stands around them.

use super::*;

#[test]
fn what_each_step_gave_is_to_be_told() {
    check_asking(
        &[
            "依次执行这三步。告诉我每一步的输出！",
            "Führe die Befehle nacheinander aus. Sag mir das Ergebnis jedes Schritts.",
            "Exécute les commandes une par une. Dis-moi le résultat de chaque étape.",
            "Execute os comandos em ordem. Me diga o resultado de cada etapa.",
            "Got the first part of the log. Please keep sending the remaining parts.",
            "已收到第一批日志，请继续发送剩下的日志。",
            "Получил первую часть. Продолжайте присылать остальные файлы.",
        ],
        &[
            "The reporter will tell me the result of the build, and it was green.",
            "脚本会告诉你每一步的执行结果。",
            "The worker keeps sending the remaining parts to the queue.",
            "脚本会继续发送剩余的数据。",
        ],
    );
}

#[test]
fn put_it_there_and_tell_me_when() {
    check_asking(
        &[
            "Falta o logótipo. Podes pô-lo na pasta e avisar quando estiver pronto.",
            "O texto falta. Ou, se preferires, podes colá-lo no ficheiro e avisar quando estiver feito.",
            "Falta el logo. Puedes ponerlo en la carpeta y avisarme cuando esté.",
            "L'image manque. Vous pouvez l'ajouter au dossier et me dire quand elle y est.",
            "Das Bild fehlt noch. Du kannst es in den Ordner legen und mir Bescheid geben, wenn es da ist.",
            "I don't see the script. Go ahead and upload it, or give me the path — once I have it I'll start.",
        ],
        &[
            "Puedes configurar el correo y avisar a los usuarios cuando esté listo.",
            "You can watch the log, and when the job is done it tells you.",
            "Add the key to `.env`, start the server, and once it's up you'll see the page.",
            "Go ahead and open the page: the new header is there.",
        ],
    );
}

#[test]
fn tidying_up_waits_for_nobody() {
    check_asking(
        &[
            "Once the bucket exists, tell me and I'll upload the files.",
            "Quando o bucket existir, me avisa que eu envio.",
        ],
        &[
            "I left the debug border in. When you're done checking, tell me and I'll remove it.",
            "Cuando termines de revisarlo, avísame y lo quito.",
            "Quand tu as fini de tester, dis-moi et je les enlève.",
            "Когда посмотрите, скажите — уберу.",
            "我先保留了调试边框，看完后告诉我，我再去掉。",
        ],
    );
}

#[test]
fn whatever_else_is_wanted_closes_and_what_is_named_asks() {
    check_asking(
        &[
            "已完成。需要我把其他页面也改成这个样式吗？",
            "需要我继续处理其他模块吗？",
            "다른 페이지에도 적용할까요?",
            "어느 폴더에 저장할까요?",
            "Should I use bcrypt or something else?",
            "Do you see any other errors in the console?",
            "¿Quieres que haga lo mismo con los otros dos archivos?",
        ],
        &[
            "Done. Ready to try it, or do you need any other changes?",
            "완료했습니다. 더 추가하고 싶은 기능이 있나요?",
            "已更新。需要我做更多的优化吗？",
            "C'est fait. Souhaites-tu ajouter ou modifier autre chose ?",
            "Hecho. ¿Te gustaría mejorar o agregar alguna otra cosa?",
            "Fatto. Devo sistemare altro o va bene così?",
            "Готово. Нужны ещё какие-нибудь изменения?",
            "完了しました。他に改善や追加したい機能はありますか？",
            "목차에 링크를 추가하려면 말씀해 주세요.",
        ],
    );
}

#[test]
fn what_next_asks_with_two_ways_or_after_a_failure() {
    check_asking(
        &[
            "Готово. Что дальше — чиним тесты или выкатываем?",
            "Done. What's next — do we keep the old endpoint, or drop it?",
            "Listo. ¿Qué sigue: dejamos la tabla como está, o migramos los datos?",
            "The build was interrupted. You could:\n\n1. Check the disk\n2. Use one worker\n\nWhat would you like to do next?",
            "El comando fue cancelado.\n\n1. Otra vía\n2. Nada\n\n¿Qué te gustaría hacer ahora?",
        ],
        &[
            "Done. What's next?",
            "Готово. Что дальше?",
            "Pronto. Qual o próximo passo: atualizar o README?",
            "The build failed at first; I fixed it and all tests pass now.\n\nWhat would you like to do next?",
        ],
    );
}

#[test]
fn a_word_to_be_said_for_a_purpose_is_waited_for() {
    check("Part one is in. Say **next** to move on.", DetectedKind::Approval, "Say **next** to move on.");
    check("Dis « suivant » pour passer à la suite.", DetectedKind::Approval, "Dis « suivant » pour passer à la suite.");
    let two = "Send \"1\" for the quick fix or \"2\" for the rewrite.";
    check(two, DetectedKind::Choice, two);
    check_asking(
        &[
            "It is the last step. Say yes and I'll run it.",
            "Diga **\"continuar\"** para seguir com a parte dois.",
            "「続けて」と言っていただければ、次に進みます。",
        ],
        &["Users can say \"stop\" to end the call.", "Just say the word and I'll add dark mode too."],
    );
}

#[test]
fn a_plan_to_be_looked_at_wants_a_yes() {
    for plan in [
        "I've created an implementation plan. Please review it.",
        "实施计划已写好，请您查看并确认。",
        "計画書を作成しました。ご確認をお願いします。",
        "Criei um plano de implementação. Por favor, revise e aprove.",
        "The plan is above. Take a look and tell me if I can start.",
        "Посмотри план и скажи, можно ли начинать.",
        "You can check the table now, and if it all looks right, I will push the branch.",
        "ページを確認していただき、問題なければプッシュします。",
        "Tu peux vérifier la page, et si tout est bon, je pousse la branche.",
    ] {
        assert_eq!(found(plan).kind, DetectedKind::Approval, "{plan}\n{:?}", found(plan));
    }
    check_asking(
        &[],
        &[
            "I updated the plan: phases 1 and 2 are implemented. Please review the pull request.",
            "计划已全部完成，请查看效果。",
            "You can check the table now, and if something looks off, I will fix it.",
            "If everything looks good after the nightly run, the flag flips on its own.",
        ],
    );
}

#[test]
fn what_holds_for_any_of_them_asks_for_none() {
    check_asking(
        &["Want to see it first? (Needs a browser tab)"],
        &[
            "Egal welche Variante du nimmst, der Token muss gesetzt sein.",
            "No matter which option you pick, restart the server afterwards.",
            "Si ça revient encore, on saura que le problème vient plutôt du réseau.",
        ],
    );
}

#[test]
fn a_step_with_a_name_wants_a_yes_also_after_a_failure() {
    let step = "The build failed: there is no JDK.\n\nShould I install one?";
    check(step, DetectedKind::Approval, "Should I install one?");
    let again = "The build failed: the disk was full.\n\nShould I try again?";
    check(again, DetectedKind::ErrorRecovery, "Should I try again?");
    let listed =
        "There are two ways:\n\n- Option A: a view\n- Option B: a table\n\nA view is enough. Soll ich das umsetzen?";
    check(listed, DetectedKind::Approval, "Soll ich das umsetzen?");
}
