//! What the human is to tell the agent after a deed, before a step, or in a word.

use super::*;

fn check(asks: bool, replies: &[&str]) {
    for reply in replies {
        let found = found(reply);
        assert_eq!(found.needs_answer(), asks, "{reply}\n{found:?}");
    }
}

#[test]
fn what_is_told_once_something_is_reached_is_waited_for() {
    check(
        true,
        &[
            "Once both services are up, let me know and I'll continue with the smoke test.",
            "When the certificates have been renewed, let me know and I'll retry the deploy.",
            "Once the VPN is connected, ping me and I'll fetch the schema.",
            "As soon as the key is in place, tell me and I will resume the migration.",
            "When you see the login prompt, tell me and I'll give you the next command.",
            "Once Docker Desktop is installed, come back and I'll set up the compose file.",
            "Wenn beide Dienste laufen, sag Bescheid und ich mache mit dem Test weiter.",
            "Nachdem du den Server neu gestartet hast, sag Bescheid, dann prüfe ich die Logs.",
            "Quand c'est fait, dites-le-moi et je passe à l'étape suivante.",
            "Cuando la base de datos esté restaurada, dime y vuelvo a lanzar la importación.",
            "En cuanto la clave esté configurada, dímelo y retomo la migración.",
            "Quando il database è ripristinato, dimmelo e rilancio l'importazione.",
            "Appena i due servizi sono attivi, avvisami e continuo con i test.",
            "Non appena la chiave è configurata, fammelo sapere e riprendo la migrazione.",
            "Когда база будет восстановлена, скажите, и я перезапущу импорт.",
            "两个服务都启动后跟我说一声，我继续跑冒烟测试。",
            "容器跑起来之后回来告诉我，我继续。",
            "鍵の設定が済んだら連絡してください。移行を再開します。",
        ],
    );
    check(
        false,
        &[
            "Once the database is restored, the import restarts by itself.",
            "When the job is done, the service tells the user and closes the connection.",
            "Once the upload finishes, the app will let users know with a toast.",
            "Once installed, run `make serve` and open the dashboard.",
            "When the build is done, the bot sends a message to the channel.",
            "Sobald die Datenbank wiederhergestellt ist, startet der Import von selbst.",
            "Sobald der Build fertig ist, meldet sich der Bot im Kanal.",
            "Une fois la base restaurée, l'import redémarre tout seul.",
            "Quand c'est fini, l'application prévient l'utilisateur par courriel.",
            "Cuando la base esté restaurada, la importación arranca sola.",
            "Cuando termina la subida, la app avisa al usuario.",
            "Quando o banco estiver restaurado, a importação recomeça sozinha.",
            "Quando finisce, l'app avvisa l'utente con una notifica.",
            "Когда база будет восстановлена, импорт продолжится сам.",
            "数据库恢复好之后，导入会自动继续。",
            "任务完成后，系统会通知用户。",
        ],
    );
}

#[test]
fn what_is_to_be_given_may_be_named_first() {
    check(
        true,
        &[
            "保存之后，把导出文件的位置告诉我。",
            "在设置里生成一个令牌，把它告诉我。",
            "打开控制台，看一下报错内容，回来告诉我。",
            "点一下“导出”，把生成的文件名告诉我就行。",
            "先执行 `docker ps`，把结果复制给我。",
            "Erzeuge ein Token in den Einstellungen und füge es hier ein.",
            "Génère un jeton dans les réglages et colle-le ici.",
            "Genera un token en los ajustes y pégalo aquí.",
            "Genera un token nelle impostazioni e incollalo qui.",
        ],
    );
    check(
        false,
        &[
            "脚本跑完会把结果发给管理员。",
            "Create a token in the settings, then paste it into `config.yaml`.",
            "Gere um token nas configurações e cole no arquivo `.env`.",
            "Создайте токен в настройках и вставьте его в файл `.env`.",
            "トークンを作成したら、`.env` に貼り付けてください。",
            "保存之后，程序会把文件路径写进日志。",
            "服务器把令牌发给客户端，客户端再保存。",
            "用户点击导出后，系统把文件名告诉前端。",
            "Save the file and then open its path in the browser.",
            "The script copies whatever it prints and pastes it into the report.",
            "Erzeuge ein Token in den Einstellungen und füge es in die `.env` ein.",
            "Génère un jeton dans les réglages et colle-le dans le fichier `.env`.",
        ],
    );
}

#[test]
fn one_of_two_words_is_a_choice() {
    check(
        true,
        &[
            "Answer with A or B and I'll build it.",
            "Sag „weiter“ oder „verwerfen“, dann mache ich das. Wenn du willst, nenn auch das Modell.",
            "Schreib einfach „A“ oder „B“, dann lege ich los.",
            "Dis « continue » ou « annule » et je m'en occupe. Si tu veux, précise aussi le modèle.",
            "Réponds simplement « A » ou « B ».",
            "Di «sigue» o «descarta» y lo hago. Si quieres, indica también el modelo.",
            "Responde 1 o 2.",
            "Respondeme \"A\" o \"B\" y arranco.",
            "Di' \"continua\" o \"annulla\" e procedo.",
            "Rispondi 1 o 2.",
            "Скажите «дальше» или «отмена», и я сделаю. Если хотите, укажите и модель.",
            "你回复 `B1` 或 `B2` 就行。",
            "直接回“继续”或“回滚”，我就执行。需要的话也可以补充型号。",
            "您回一个 A 或 B 即可。",
            "你只要说“提交”或者“先放着”，我照做。",
            "1か2で答えてください。",
        ],
    );
    check(
        false,
        &[
            "机器人会根据用户回复 1 或 2 来分流。",
            "The dialog accepts \"yes\" or \"no\" and then closes.",
            "Users reply 1 or 2 and the bot books the slot.",
            "The prompt now expects `A` or `B`.",
            "Der Dialog nimmt „ja“ oder „nein“ an.",
            "If you want more, say \"tests\" or \"docs\" and I'll add them.",
            "Wenn du mehr willst, sag „Tests“ oder „Doku“.",
            "Si quieres más, di \"tests\" o \"docs\" y los añado.",
        ],
    );
}

#[test]
fn a_look_before_the_next_step_is_an_approval() {
    check(
        true,
        &[
            "The outline stands. Please read it and let me know if a chapter is missing before I begin with the text.",
            "Please look it over and let me know if anything should change before I begin the implementation.",
            "Please read through the design; let me know of any changes before I write the code.",
            "Let me know if you want anything changed before I start coding.",
            "Lies den Entwurf bitte durch und gib Bescheid, falls etwas geändert werden soll, bevor wir den Plan schreiben.",
            "Merci de parcourir le schéma et de me dire si une table manque avant de passer aux migrations.",
            "Revisa el documento y dime si quieres cambios antes de que empiece con la implementación.",
            "Revise o documento e me diga se quer mudanças antes de eu começar a implementação.",
            "Rivedi il documento e dimmi se vuoi modifiche prima che inizi l'implementazione.",
            "Dagli un'occhiata e fammi sapere se vuoi cambiare qualcosa prima di passare al piano.",
            "Прочитайте и дайте знать, если хотите что-то изменить, до того как перейдём к плану.",
            "请过一遍方案，有需要调整的地方请在开始实现前告诉我。",
            "設計書を確認して、実装に入る前に修正点があれば教えてください。",
            "설계 문서를 검토하시고, 구현을 시작하기 전에 수정할 부분이 있으면 알려주세요.",
        ],
    );
    check(
        false,
        &[
            "Everything is merged. Please review it and tell me if you want any changes.",
            "Let me know if you want changes.",
            "Have a look and let me know if anything is off.",
            "Let me know if you see problems before you deploy it to customers.",
            "Schau es dir an und sag mir, ob du Änderungen möchtest.",
            "Relis et dis-moi si tu veux des changements.",
            "Revísalo y dime si quieres cambios.",
            "Revise e me diga se quer mudanças.",
            "Rivedi e dimmi se vuoi modifiche.",
            "Посмотрите и скажите, если нужны правки.",
        ],
    );
}

#[test]
fn could_you_try_it_and_tell_me_is_a_question() {
    check(
        true,
        &[
            "Can you try it on your phone and let me know if the layout still breaks?",
            "Could you open the page and tell me if the banner shows up?",
            "Would you check the dashboard and let me know if the numbers match?",
            "Can you run it on your machine and tell me if anything fails? The log should list three entries.",
            "Could you verify it on staging and let me know how it looks?",
            "Can you test it now and tell me if that fixed it?",
            "你能在手机上试一下，告诉我还有没有问题吗？",
            "能不能打开页面看看，如果还有报错告诉我？",
        ],
    );
    check(
        false,
        &[
            "If it still fails, could you send me the log?",
            "Falls es noch hakt, kannst du mir das Log schicken?",
            "Si ça échoue encore, peux-tu m'envoyer le log ?",
            "Si sigue fallando, ¿puedes enviarme el log?",
            "Can users check it themselves? Yes, on the status page.",
            "Let me know if you want me to check it, okay?",
        ],
    );
}

#[test]
fn what_is_told_only_if_it_fails_is_an_offer() {
    check(
        false,
        &[
            "If the chart is still blank:\nsend me the network errors.",
            "要是还不行，\n把日志贴出来，我再看。",
            "（それでも出ないときは、スクリーンショットを送ってください。）",
            "그래도 안 보이면 콘솔 오류를 알려주세요.",
            "여전히 안 되면,\n로그를 붙여넣어 주세요.",
            "Reload the page. If it still does not show, tell me the error from the console.",
            "It should work now. (If it is still missing, send me the console output.)",
            "If that doesn't help, paste the log here and I'll dig deeper.",
            "Restart the server; should it keep failing, share the stack trace.",
            "(In case the list stays empty, please send a screenshot.)",
            "Lade die Seite neu. Wenn es immer noch nicht erscheint, schick mir die Fehlermeldung.",
            "(Falls das Diagramm weiterhin leer bleibt, nenne mir bitte die Meldung aus der Konsole.)",
            "Sollte es weiterhin scheitern, schick mir bitte das Log.",
            "Si le graphique reste vide, envoie-moi le message de la console.",
        ],
    );
}

#[test]
fn waiting_for_whatever_comes_is_an_offer() {
    check(
        false,
        &[
            "Alles erledigt. Ich warte auf deine nächsten Anweisungen.",
            "Fertig. Ich warte auf weitere Anweisungen.",
            "Tout est terminé. J'attends vos prochaines instructions.",
            "Todo listo. Quedo a la espera de tus próximas instrucciones.",
            "Tudo pronto. Aguardo suas próximas instruções.",
            "Concluído. Fico no aguardo das próximas instruções.",
            "Fatto. Attendo le prossime istruzioni.",
            "全部完成。等待您的下一步指示。",
            "検証が完了しました。次の指示をお待ちしています。",
            "すべて修正しました。次のご指示をお待ちしております。",
            "모두 완료했습니다. 다음 지시를 기다리겠습니다.",
            "All checks passed. Awaiting your next instructions.",
        ],
    );
}

#[test]
fn what_may_never_happen_is_not_reached() {
    check(
        true,
        &[
            "When the pods show `Running`, let me know, and I'll apply the ingress.",
            "As soon as the DNS record propagates, give me a shout and I'll issue the certificate.",
            "To go on, please do the following:\n- Open the admin console\n- Enable the beta flag\n- Let me know once it's on\n\nI'll handle everything after that.",
            "Answer A, B or C and I'll draft it.",
            "Plan saved to `plan.md`. Please check it and let me know if anything's missing before I start implementing.",
            "Wenn der Container läuft, sag mir Bescheid, dann richte ich das Backup ein.",
            "Schick „ja“ oder „nein“.",
            "Cuando el contenedor esté corriendo, avisame y configuro el backup.",
            "Quando o contêiner estiver de pé, me chama que eu configuro o backup.",
            "Когда контейнер запустится, напишите — настрою бэкап.",
        ],
    );
    check(
        false,
        &[
            "The form asks people to reply \"yes\" or \"no\".",
            "遇到问题后告诉我，我再修。",
            "Setup guide finished. Users should:\n1. Share their key\n2. Describe the device\n3. Press submit",
            "Next you can:\n1. Share the dashboard\n2. Tell your team\n3. Send the invoice",
            "What to do next:\n1. Deploy to staging\n2. Send the link to QA\n3. Tell me if anything breaks",
            "I answered A or B where the sheet allowed it.",
            "When the pods are running, the script tells me and I'll see it in the log.",
            "If the pods never start, tell me and I'll look at the events.",
            "Should the LED stay dark, let me know and I'll check the wiring.",
            "Wenn der Container nicht startet, sag Bescheid, dann schaue ich mir die Logs an.",
            "Si le conteneur ne démarre pas, dis-le-moi et je regarde les logs.",
            "Si el contenedor no arranca, avísame y reviso los logs.",
            "Se o contêiner não subir, me avise que eu vejo os logs.",
            "Se il container non parte, fammi sapere e guardo i log.",
            "Если контейнер не стартует, напишите — посмотрю логи.",
            "如果容器起不来，告诉我，我来看日志。",
        ],
    );
}
