//! Whose turn it is: what the human does, says or agrees to before the agent goes on.

use super::*;

/// Without the first there is no second.
#[test]
fn what_the_human_does_comes_before_what_the_agent_does() {
    check_asking(
        &[
            "Fixed the handler name. Please reload the extension and I'll remove the leftover entries.",
            "The watcher hangs again. Please restart the IDE and I'll rerun the suite.",
            "Please refresh the tab and I'll read the console again.",
            "Please reopen the project and I'll continue with the second module.",
            "Please rebuild the image, then I'll check the layers.",
            "Reload the plugin and I'll drop the temporary layer.",
            "Please reconnect the board and I'll flash it again.",
            "Restart the server, and I'll run the migration against it.",
            "Please reboot the device so I can read the boot log.",
            "Please undo that last step and I'll start over from the clean state.",
            "Bitte lade das Modul neu, dann entferne ich die doppelten Zeilen.",
            "Bitte starte den Server neu, dann lasse ich die Tests noch einmal laufen.",
            "Bitte schließ das Gerät wieder an, dann flashe ich es neu.",
            "Recharge l'extension et je supprime les entrées restantes.",
            "Redémarrez le serveur, et je relance la migration.",
            "Relance l'éditeur, puis je vérifie les journaux.",
            "Recarga la extensión y elimino las entradas que quedaron.",
            "Reinicia el servidor y vuelvo a lanzar la migración.",
            "Vuelve a abrir el proyecto y sigo con el segundo módulo.",
            "Recarregue a extensão e eu removo as entradas que sobraram.",
            "Reinicie o servidor e eu rodo a migração de novo.",
            "Ricarica l'estensione e io rimuovo le voci rimaste.",
            "Riavvia il server e rilancio la migrazione.",
            "Перезагрузите расширение, и я удалю оставшиеся записи.",
            "Перезапустите сервер, и я снова прогоню миграцию.",
            "Переподключите плату, и я прошью её заново.",
            "请重新加载插件，我来清理剩下的条目。",
            "请重启服务，我再跑一遍迁移。",
            "확장 프로그램을 다시 로드해 주시면 남은 항목을 정리하겠습니다.",
            "Načtěte prosím doplněk znovu a já odstraním zbylé položky.",
        ],
        &[],
    );
}

/// What comes of it is not the agent's.
#[test]
fn a_deed_alone_is_an_instruction() {
    check_asking(
        &[],
        &[
            "Please reload the page and you'll see the new header.",
            "Reload the page and the badge should be gone.",
            "Please restart the server to pick up the change.",
            "Please refresh with Ctrl+F5; the old bundle was cached.",
            "Restart the app and it will read the new config.",
            "Please reload the page. If it still fails, I'll look at the cache.",
            "Please rebuild the image before deploying.",
            "Bitte lade die Seite neu, dann siehst du den neuen Kopf.",
            "Bitte starte den Server neu, damit die Änderung greift.",
            "Recharge la page et le bandeau disparaîtra.",
            "Redémarrez le serveur pour prendre en compte la modification.",
            "Recarga la página y verás la cabecera nueva.",
            "Reinicia el servidor para que tome los cambios.",
            "Recarregue a página e o selo some.",
            "Reinicie o servidor para aplicar a mudança.",
            "Ricarica la pagina e vedrai la nuova intestazione.",
            "Перезагрузите страницу, и вы увидите новую шапку.",
            "Перезапустите сервер, чтобы изменения вступили в силу.",
            "请重新加载页面，就能看到新的标题栏。",
            "请重启服务使配置生效。",
            "ページを再読み込みしてください。新しいヘッダーが表示されます。",
            "페이지를 새로고침하시면 새 헤더가 보입니다.",
            "Načtěte stránku znovu a uvidíte novou hlavičku.",
            "Run lint and also a smoke test.",
            "Please open the menu and go to Settings.",
            "Añade título y texto al formulario.",
            "Abre la terminal y todo estará listo.",
            "Ejecuta el script y luego la migración.",
            "Откройте консоль и вкладку Network.",
            "Обновите страницу и форму входа.",
            "Riavvia il server e il client.",
            "Crea il file e modulo di prova.",
            "Abra o menu e arquivo de configuração.",
            "Please note that the cache is cold, so I can only estimate the first run.",
            "Please see the table above; I'll keep it updated.",
            "Please wait a moment and I'll have the numbers.",
            "Run `npm install` and then `npm start`.",
        ],
    );
}

#[test]
fn nothing_is_changed_until_the_human_says_so() {
    check_asking(
        &[
            "I've read the three guides. **AWAITING INSTRUCTIONS FOR THE MIGRATION**\n\nI won't change anything until you tell me to. ",
            "Understood. I won't make any changes until you tell me.",
            "I have read all the files and will not edit anything until you say so.",
            "Ich ändere nichts, bis du es mir sagst.",
            "Verstanden. Ich nehme keine Änderungen vor, bis du mir das Okay gibst.",
            "Je ne modifierai rien tant que tu ne me le dis pas.",
            "Je ne touche à rien avant votre accord.",
            "No haré ningún cambio en el esquema hasta que me lo pidas.",
            "No tocaré el código hasta que me des la orden.",
            "Entendido, no modifico nada hasta que me digas.",
            "Não vou alterar nada até você me dizer.",
            "Não farei mudanças até que você me autorize.",
            "Non cambierò nulla finché non me lo dici.",
            "Non farò modifiche finché non mi dai il via.",
            "Ничего не буду менять, пока вы не скажете.",
            "Не вношу изменений, пока не дадите команду.",
            "在你发话之前，我不会改动任何代码。",
            "在您确认之前我不会做任何修改。",
            "ご指示があるまで、コードは変更しません。",
            "지시하실 때까지 코드를 변경하지 않겠습니다.",
            "Dokud mi neřekneš, nic měnit nebudu.",
        ],
        &[
            "The job won't change anything until you set the flag.",
            "The cache is not touched until the next deploy.",
            "La página no cambia hasta que guardas el formulario.",
            "Der Dienst ändert nichts, bis der Schalter gesetzt ist.",
            "Le bouton reste grisé tant que le champ est vide.",
            "Кнопка не активна, пока не заполнено поле.",
            "在保存之前，页面不会更新。",
            "All done. Waiting for your next instructions.",
            "Todo listo. Espero tus próximas instrucciones.",
            "I'd like to leave the shim in until you've moved the callers.",
            "It would be good to keep both until you have migrated the clients.",
            "I'll keep the old flag until you remove it from the config.",
        ],
    );
}

#[test]
fn a_recommendation_does_not_answer_a_question_of_its_own() {
    check_asking(
        &[
            "My next question is: should a failed upload block the whole batch?\n\nMy recommendation is yes. Otherwise a later file may be imported without the one it depends on.",
            "Question 3: should the retry counter survive a restart?\n\nI'd recommend yes. It costs one column, and support asked for it twice.",
            "Meine nächste Frage: Soll ein fehlgeschlagener Upload den ganzen Stapel blockieren?\n\nMeine Empfehlung ist ja. Sonst wird eine spätere Datei ohne die frühere importiert.",
            "Ma question suivante : un envoi raté doit-il bloquer tout le lot ?\n\nMa recommandation est oui, sinon un fichier plus tardif passe sans celui dont il dépend.",
            "Mi siguiente pregunta es: ¿debe una subida fallida bloquear todo el lote?\n\nMi recomendación es que sí. De lo contrario se importa un archivo sin el anterior.",
            "Minha próxima pergunta: um envio com falha deve bloquear o lote inteiro?\n\nMinha recomendação é sim. Senão um arquivo posterior entra sem o anterior.",
            "La mia prossima domanda: un caricamento fallito deve bloccare tutto il lotto?\n\nLa mia raccomandazione è sì, altrimenti un file successivo passa senza il precedente.",
            "Мой следующий вопрос: должна ли неудачная загрузка блокировать весь пакет?\n\nМоя рекомендация — да. Иначе более поздний файл попадёт без предыдущего.",
            "我的下一个问题是：上传失败要不要阻塞整个批次？\n\n我的建议是要，否则后面的文件会在缺少依赖的情况下导入。",
            "次の質問です：アップロードが失敗したらバッチ全体を止めるべきですか？\n\n私の推奨は「はい」です。そうしないと後のファイルだけが取り込まれます。",
            "다음 질문입니다: 업로드가 실패하면 배치 전체를 막아야 할까요?\n\n제 추천은 예입니다. 그렇지 않으면 나중 파일이 먼저 들어갑니다.",
            "Question 2: Should a draft expire after a week?\n\nToday it lives until somebody deletes it:\n\n```\ndrafts: 4,112\nolder than a week: 3,980\n```\n\nMost of them were never opened again, and the nightly export carries all of them along.\n\nRecommended answer: yes, after fourteen days, with a notice on the tenth.",
            "Frage 2: Soll ein Entwurf nach einer Woche verfallen?\n\nHeute bleibt er, bis ihn jemand löscht, und der nächtliche Export nimmt alle mit, auch die seit Jahren niemand mehr geöffnet hat.\n\nEmpfohlene Antwort: ja, nach vierzehn Tagen.",
            "Вопрос 2: должен ли черновик удаляться через неделю?\n\nСейчас он живёт, пока его не удалят вручную, и ночная выгрузка каждый раз тащит за собой все старые черновики.\n\nРекомендуемый ответ: да, через две недели.",
        ],
        &[
            "The question is: why did it fail? The cache was stale, so the reader saw the old key.",
            "The question was whether a failed upload should block the batch. It should, and now it does.",
            "Should a failed upload block the batch? Yes: a later file may depend on it, so I made it block.",
            "The next question is how the batch gets retried. The scheduler does that every ten minutes.",
            "Why does it matter? My recommendation follows from the numbers: keep 50.",
            "The quiz page now shows, below each question, a line that begins with \"Recommended answer\".",
            "Should a draft expire? Yes: after two weeks it is removed, and the owner gets a notice on the tenth day.",
        ],
    );
}

#[test]
fn what_is_to_be_told_first_is_waited_for() {
    check_asking(
        &[
            "先告诉我你有没有建好数据库，我再帮你写迁移脚本。",
            "先告诉我域名买好了没有，我帮你配证书。",
            "你先说下用的是哪个版本，我来给对应的命令。",
            "告诉我你选哪个，我就开始写。",
            "先告诉我证书放在哪里，我来改配置。",
            "Erst sag mir, ob das Repo schon existiert, dann schreibe ich den Workflow.",
            "Sag mir zuerst, ob die Domain schon gekauft ist, dann richte ich das Zertifikat ein.",
            "First tell me whether the repo exists, and I'll write the deploy workflow.",
            "Tell me first whether you have admin rights; then I'll pick the right command.",
            "Dis-moi d'abord si le dépôt existe, et j'écris le workflow.",
            "Primero dime si el repositorio ya existe y te escribo el workflow.",
            "Primeiro me diga se o repositório já existe e eu escrevo o workflow.",
            "Prima dimmi se il repository esiste già e scrivo il workflow.",
            "Сначала скажите, создан ли репозиторий, и я напишу workflow.",
            "Сперва напиши, есть ли у тебя доступ к панели, и я дам нужную команду.",
            "まずリポジトリを作成済みかどうか教えてください。その後ワークフローを書きます。",
            "먼저 저장소를 만들었는지 알려 주세요. 그러면 워크플로를 작성하겠습니다.",
            "Nejdřív mi řekněte, jestli repozitář existuje, a já napíšu workflow.",
        ],
        &[
            "任务结束后会告诉我，我再把结果整理好。",
            "如果还有报错，告诉我日志内容我再排查。",
            "先告诉用户上传失败的原因，再提示重试，这是新的流程。",
            "有需要随时告诉我，我帮你改。",
            "想换主题的话告诉我，我帮你调。",
            "需要更多示例就告诉我，我可以补充。",
            "Sag mir einfach, ob du noch etwas brauchst.",
            "Tell me if something looks off.",
            "Dis-moi si quelque chose cloche.",
            "Dime si necesitas algo más.",
            "Me diga se precisar de ajustes.",
        ],
    );
}

#[test]
fn the_polite_if_asks_unless_it_is_about_more() {
    check_asking(
        &[
            "API 키를 보내 주시면 바로 연결하겠습니다.",
            "오류 로그를 공유해 주시면 바로 원인을 확인하겠습니다. 지금은 정보가 부족합니다.",
            "둘 중 하나를 골라 주시면 바로 진행하겠습니다.",
            "승인해 주시면 바로 배포를 시작하겠습니다.",
            "I don't have access to the staging cluster. Please add my key to it.",
            "I don't have access to the private repository, so I stopped here. Can you grant it?",
            "I don't have access to the ticket. Paste its text here.",
        ],
        &[
            "설치가 끝났습니다. 원하시는 화면이나 기능을 요청해 주시면 바로 구현해 드릴 수 있습니다.",
            "다 끝났습니다. 추가 기능을 요청하시면 바로 반영해 드리겠습니다.",
            "완료했습니다. 필요한 차트를 말씀해 주시면 추가로 만들어 드릴 수 있습니다.",
            "수정이 끝났습니다. 다른 파일도 알려주시면 같은 방식으로 고쳐드리겠습니다.",
            "추가로 의심되는 파일이 있으면 위치를 알려주시면 그 부분만 고쳐 드릴 수 있습니다.",
            "修正は完了しました。ほかに追加したい機能をご指示いただければ、すぐに実装できます。",
            "No. I don't have access to the earlier chat. Only this session is in my context.",
            "I don't have access to live prices, so the table uses yesterday's closing values.",
            "Short answer: no. I can't see your screen; I only read the files in this folder.",
            "Yes, in principle. I don't have access to the billing page itself, but the docs describe the limit.",
            "Nein, auf den früheren Chat habe ich keinen Zugriff. In meinem Kontext steht nur diese Sitzung.",
            "Non, je n'ai pas accès à l'ancienne conversation. Seule cette session est dans mon contexte.",
            "No, no tengo acceso a la conversación anterior. Solo veo esta sesión.",
            "Não tenho acesso à conversa anterior. Só vejo esta sessão.",
            "Нет, к прошлому чату у меня доступа нет. Я вижу только эту сессию.",
            "不行，我无法访问之前的对话，只能看到当前会话。",
        ],
    );
}

#[test]
fn a_step_that_follows_from_a_yes_waits_for_it() {
    check_asking(
        &[
            "Der Plan liegt in `PLAN.md`. Wenn du ihn so freigibst, fange ich mit Schritt 1 an.",
            "Sobald du zustimmst, lege ich den Branch an.",
            "Wenn du einverstanden bist, setze ich es so um.",
            "Wenn du das bestätigst, lösche ich die alten Dateien.",
            "Wenn Sie den Entwurf freigeben, erstelle ich die Migration.",
            "Here is the plan. If you approve it, I'll start with the schema.",
            "Once you sign off on this, I'll open the branch.",
            "If you're happy with this plan, I'll implement it.",
            "When you give the OK, I'll apply the patch.",
            "Voici le plan. Si vous l'approuvez, je commence par le schéma.",
            "Dès que tu valides, je crée la branche.",
            "Si ce plan te convient, je l'implémente.",
            "Este es el plan. Si lo apruebas, empiezo por el esquema.",
            "En cuanto lo apruebes, creo la rama.",
            "Si estás de acuerdo con el plan, lo implemento.",
            "Este é o plano. Se você aprovar, começo pelo esquema.",
            "Assim que você aprovar, crio a branch.",
            "Ecco il piano. Se lo approvi, comincio dallo schema.",
            "Appena approvi, creo il branch.",
            "Вот план. Если вы его утвердите, начну со схемы.",
            "Как только одобрите, создам ветку.",
            "Если согласны с планом, приступлю к реализации.",
            "方案如上。你确认后我就开始改代码。",
            "如果你同意这个方案，我就开始实现。",
            "计划如上，您批准后我再执行。",
            "以上が計画です。ご承認いただけましたら、実装を開始します。",
            "この方針で問題なければ、実装に進みます。",
            "계획은 위와 같습니다. 승인해 주시면 구현을 시작하겠습니다.",
            "Plán je výše. Jakmile ho schválíte, začnu se schématem.",
        ],
        &[
            "The plan was approved yesterday, so I started with the schema.",
            "Once the reviewer approves the PR, the bot merges it.",
            "Wenn der Prüfer den Plan freigibt, startet die Pipeline von selbst.",
            "Sobald der Nutzer zustimmt, wird das Cookie gesetzt.",
            "Quand l'administrateur valide, le compte est créé.",
            "Cuando el cliente lo aprueba, el pedido pasa a envío.",
            "用户确认后系统会自动扣款。",
            "사용자가 승인하면 주문이 생성됩니다.",
            "If you agree to the cookie banner, the tracker loads; otherwise it stays off.",
        ],
    );
}

/// Two ways, one of them open.
#[test]
fn something_else_is_a_way_to_answer() {
    check_asking(
        &[
            "규칙을 정리했습니다. 1단계부터 시작할까요, 아니면 다른 작업을 먼저 할까요?",
            "테스트를 실행할까요, 아니면 다른 것을 먼저 볼까요?",
            "Shall I start with phase 1, or would you rather do something else first?",
            "Should I begin with the parser or would you like to tackle something else?",
            "Soll ich mit Phase 1 anfangen, oder möchtest du erst etwas anderes machen?",
            "Je commence par la phase 1, ou tu préfères faire autre chose d'abord ?",
            "¿Empiezo por la fase 1 o prefieres hacer otra cosa antes?",
            "Começo pela fase 1 ou você prefere fazer outra coisa antes?",
            "Comincio dalla fase 1 o preferisci fare altro prima?",
            "Начать с первого этапа или сначала заняться чем-то другим?",
            "从第一阶段开始，还是先做别的？",
            "フェーズ1から始めますか、それとも他の作業を先にしますか？",
            "Mám začít fází 1, nebo chceš nejdřív něco jiného?",
            "是否按这个顺序开始修改？我会先列出受影响的文件。",
            "是否继续下一步？完成后我会汇总结果。",
            "是否现在执行迁移？数据量不大，大约两分钟。",
            "是否要我直接提交？",
            "是否同意这个方案？改动只涉及两个文件。",
        ],
        &[
            "Is there anything else, or are we done?",
            "Soll ich noch etwas anpassen oder brauchst du sonst noch etwas?",
            "다른 작업이 필요하신가요, 아니면 여기서 마칠까요?",
            "¿Necesitas algo más o lo dejamos aquí?",
            "是否启用缓存由配置决定，默认关闭。",
            "脚本会检查文件是否存在，再决定是否继续。",
            "Try the page again. Let me know if you see any errors.",
            "The page is fixed. Let me know if you see an error again.",
            "Let me know if you see anything odd.",
            "Dime si ves algún error.",
            "Dis-moi si tu vois encore une erreur.",
            "Sag mir, ob du noch Fehler siehst.",
            "Скажите, если увидите ошибки.",
        ],
    );
}

#[test]
fn a_list_that_is_called_questions_asks() {
    check_asking(
        &[
            "Questions\n\n1. Shared inbox? (one per team or one per region)\n2. Retention? (legal wants seven years)\n3. Read receipts? (off by default today)\n\nEither way the importer stays as it is and the mail adapter carries the change.",
            "Open questions:\n- Retention? (30 or 90 days)\n- Who owns the bucket?",
            "Offene Fragen\n\n1. Gemeinsames Postfach? (je Team oder je Region)\n2. Aufbewahrung? (bisher unbegrenzt)\n\nDer Import bleibt in beiden Fällen, wie er ist.",
        ],
        &[
            "Done. Questions?",
            "Any questions, just ask.",
            "## FAQ\n\n1. Does it scale? Yes, to ten nodes.\n2. Is it free? Yes.\n",
            "## Interview questions\n\n1. How does the borrow checker work?\n2. When would you use `Pin`?\n\nEach has a model answer in the file.",
            "## Questions\n\n1. Does it scale? Yes, to ten nodes.\n2. Is it free? Yes.\n",
            "### Questions answered\n\n- Why is it slow? The index is missing.\n- Is it safe? Yes.",
        ],
    );
}

/// Nobody else can run it.
#[test]
fn what_is_run_to_see_is_reported() {
    check_asking(
        &[
            "Run the first command to see which process holds the port. This will tell us whether the old server is still alive.",
            "Start with step 1 and check the service state. That will show us if the agent is up.",
            "Führe zuerst den ersten Befehl aus. Dann sehen wir, ob der Dienst läuft.",
            "Ejecuta primero el comando 1. Así sabremos si el servicio está activo.",
            "Lance d'abord la première commande. On saura si le service tourne.",
            "Execute primeiro o comando 1. Assim saberemos se o serviço está ativo.",
            "Сначала выполните первую команду. Тогда станет ясно, работает ли служба.",
            "如果你确认，我下一步就给出改动清单。",
            "如果确认没问题，我就开始改代码。",
            "화면 캡처를 보내 주시면 원인을 확인하겠습니다.",
        ],
        &[
            "The script runs the first command. This will tell us nothing about the port, so I read the log instead.",
            "I ran the first command. This tells us the server is alive.",
            "Run `make test` once more; everything should pass as before.",
            "如果用户确认，订单会进入下一步。",
            "같은 오류가 나오면 로그를 알려 주시면 확인하겠습니다.",
            "문제가 계속되면 화면을 보내 주시면 다시 보겠습니다.",
        ],
    );
}

#[test]
fn what_is_to_be_told_may_stand_behind_a_preposition() {
    check_asking(
        &[
            "Скажите, с чего начинаем.",
            "Скажи, за что возьмёмся сначала: за тесты или за миграцию.",
            "Скажите, куда положить файл.",
            "Скажите, каким путём идём.",
            "Скажите, какой из вариантов берём.",
            "Напишите, что оставляем, а что убираем.",
            "Скажи, на какой версии остановимся.",
            "Dime por dónde empezamos.",
            "Dime con cuál seguimos.",
            "Dime a qué rama lo subo.",
            "Sag mir, womit wir anfangen.",
            "Sag mir, auf welchen Branch ich pushen soll.",
            "Dis-moi par quoi on commence.",
            "Dis-moi sur quelle branche je pousse.",
            "Me diga por onde começamos.",
            "Me diz em qual branch eu subo.",
            "Dimmi da dove cominciamo.",
            "Dimmi su quale branch faccio il push.",
            "告诉我从哪里开始。",
            "告诉我推到哪个分支。",
            "どこから始めるか教えてください。",
            "どのブランチに入れるか教えてください。",
            "어디부터 시작할지 알려 주세요.",
            "어느 브랜치에 올릴지 말씀해 주세요.",
            "Řekni mi, čím začneme.",
            "Řekněte, na kterou větev to mám poslat.",
            "Tell me where we start.",
            "Tell me which branch to push to.",
            "Say which of the two we take, or tell me to push as is.",
        ],
        &[
            "Скажите, если что-то не так.",
            "Скажи, когда захочешь продолжить.",
            "Скажите, если нужно больше примеров.",
            "Скажи, что нужно ещё — добавлю.",
            "Dime si necesitas algo más.",
            "Dime cuando quieras seguir.",
            "Sag mir, wenn du mehr brauchst.",
            "Dis-moi si tu veux autre chose.",
            "Me diga se precisar de mais alguma coisa.",
            "Dimmi se vuoi altro.",
            "需要什么随时告诉我。",
            "何か必要であれば教えてください。",
            "필요한 게 있으면 말씀해 주세요.",
            "Tell me what else you need, anytime.",
            "Логи скажут, на каком шаге упало.",
            "Тест скажет, с чего начинать.",
        ],
    );
}

#[test]
fn a_word_to_say_when_ready_starts_it() {
    check_asking(
        &[
            "Ready to start phase 2 — just say \"go\".",
            "When you're ready, say \"execute\" and I'll run the plan.",
            "Когда будете готовы, напишите «старт», и я запущу миграцию.",
            "Как будешь готов — напиши «поехали».",
            "План готов. Скажите «начинай», и я приступлю.",
            "Cuando estés listo, escribe «adelante» y lanzo la migración.",
            "Quando estiver pronto, escreva \"pode ir\" e eu executo.",
            "Quand tu es prêt, réponds « go » et je lance.",
            "Wenn du bereit bist, schreib „los“, dann starte ich.",
            "Quando sei pronto, scrivi \"vai\" e lancio la migrazione.",
            "准备好后回复“开始”，我就执行。",
        ],
        &["Say the word and I'll add tests.", "Just say so and I'll push it."],
    );
}
