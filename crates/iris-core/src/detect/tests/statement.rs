//! What asks, waits or offers without a question mark.

use super::*;

#[test]
fn what_is_said_in_passing_is_told_from_what_is_needed() {
    check("Would you believe it was a trailing comma? Fixed.", DetectedKind::None, "");
    let more = "Done. Let me know whether you'd also like the tests.";
    check(more, DetectedKind::Offer, "Let me know whether you'd also like the tests.");
    assert!(found("The token lacks a scope. Once you've granted it, ping me.").needs_answer());
}

#[test]
fn which_of_them_may_be_asked_for_without_a_mark() {
    let ways = |first: &str, second: &str, ask: &str| format!("{first}:\n\n1. RabbitMQ\n2. Postgres\n\n{second}{ask}");
    for ask in [
        "Sag mir, welchen du willst, dann fange ich an.",
        "Sagen Sie mir, welches Sie möchten, dann fange ich an.",
        "Dis-moi lequel tu veux et je commence.",
        "Dime cuál quieres y empiezo.",
        "Me diz qual você quer e eu começo.",
        "Dimmi quale vuoi e comincio.",
        "Скажи, какую выбираешь, и я начну.",
    ] {
        check(&ways("Two", "", ask), DetectedKind::Choice, ask);
        assert_eq!(found(&ways("Two", "", ask)).options, ["1. RabbitMQ", "2. Postgres"], "{ask}");
    }
}

#[test]
fn more_that_might_be_useful_is_offered() {
    for offer in [
        "Si te parece útil, puedo añadir también la validación del IBAN.",
        "Si cela te semble utile, je peux aussi ajouter la validation.",
        "Se achar útil, posso adicionar também a validação.",
        "Se ti sembra utile, posso aggiungere anche la validazione.",
        "Wenn du es nützlich findest, kann ich auch die Prüfung einbauen.",
        "Если будет полезно, могу добавить и проверку.",
        "如果你觉得有用，我可以再加上校验。",
        "お役に立つようでしたら、検証も追加できます。",
        "도움이 된다면 검증도 추가할 수 있습니다.",
        "If that would be useful, I can add the validation too.",
    ] {
        check(offer, DetectedKind::Offer, offer);
    }
    check("Si te parece bien, borro la tabla.", DetectedKind::Approval, "Si te parece bien, borro la tabla.");
}

#[test]
fn a_yes_or_a_no_may_be_asked_for_by_its_marker() {
    check("Create 5 Linear tickets? (Y/N)", DetectedKind::Approval, "Create 5 Linear tickets?");
    check("Overwrite config.yaml? (yes/no)", DetectedKind::Approval, "Overwrite config.yaml?");
    check("Overwrite it?\n[y/N]", DetectedKind::Approval, "Overwrite it?");
    check("Refactored it. Push to origin (yes/no)", DetectedKind::Approval, "Push to origin (yes/no)");
    check("Fertig. Den Branch löschen (j/n)", DetectedKind::Approval, "Den Branch löschen (j/n)");
    check("The upload failed. Retry? (y/n)", DetectedKind::Approval, "Retry?");
    check("Added a prompt to the installer (y/n).", DetectedKind::None, "");
    check("The table has a column for that (Y/N).", DetectedKind::None, "");
    check("The installer asks: Overwrite? (y/n)\n\nNow it asks once.", DetectedKind::None, "");
    check("It asks first (y/n), and then deletes.", DetectedKind::None, "");
    check("Anything else? (y/n)", DetectedKind::Offer, "Anything else?");
}

#[test]
fn a_search_that_stops_for_a_report_waits_for_it() {
    for asks in [
        "Reload the page and tell me if the menu shows up. That tells me whether it's the bundle or the server.",
        "Lade neu und sag mir, ob das Menü erscheint; dann weiß ich, ob es am Bundle oder am Server liegt.",
        "Recharge la page et dis-moi si le menu apparaît ; je saurai alors si ça vient du bundle ou du serveur.",
        "Recarga la página y dime si el menú aparece; con eso sabré si está en el bundle o en el servidor.",
        "请刷新页面，告诉我菜单是否出现，这样我就知道是打包的问题还是服务器的问题。",
        "That is from a release build. I need one with symbols. Without it I'd just be guessing.",
    ] {
        let found = found(asks);
        assert_eq!((found.needs_answer(), found.kind), (true, DetectedKind::Blocking), "{asks}: {}", found.reason);
    }
    for offers in ["Fixed. Try it and tell me if it works.", "Fertig. Probier es aus und sag mir, ob es klappt."] {
        assert!(!found(offers).needs_answer(), "{offers}");
    }
}

#[test]
fn a_yes_may_be_wanted_in_many_words() {
    for asks in [
        "Before I rewrite git history on a shared branch I want an explicit yes from you. The force-push would drop commits 3fa1c2e..91bd004 from `origin/release`.",
        "Bevor ich die Historie umschreibe, will ich ein ausdrückliches Ja von dir. Der Force-Push würde drei Commits verwerfen.",
        "Avant de réécrire l'historique, je veux un oui explicite de ta part. Le force-push supprimerait trois commits.",
        "Antes de reescribir el historial quiero un sí explícito de tu parte. El force-push borraría tres commits.",
        "Antes de reescrever o histórico, quero um sim explícito seu. O force-push apagaria três commits.",
        "Prima di riscrivere la storia voglio un sì esplicito da parte tua. Il force-push eliminerebbe tre commit.",
        "Прежде чем переписывать историю, мне нужно твоё явное согласие. Force-push удалит три коммита.",
        "在改写历史之前，我需要你明确同意。强制推送会丢掉三个提交。",
        "履歴を書き換える前に、明示的な承認をいただきたいです。強制プッシュで3つのコミットが消えます。",
        "히스토리를 다시 쓰기 전에 명시적인 승인이 필요합니다. 강제 푸시로 커밋 세 개가 사라집니다.",
        "Ready when you are — reply with \"ship it\" and I'll cut the release. Nothing has been tagged yet.",
        "Happy to go ahead — just say \"go\" and I'll start the migration.",
        "Here's the plan:\n\n1. Add the trait\n2. Use it\n\nLet me know if this looks right and I'll get started with phase 1.",
        "Here's the plan:\n\n1. Add the trait\n2. Use it\n\nLet me know if that sounds okay and I'll begin.",
        "Der Plan:\n\n1. Trait anlegen\n2. Benutzen\n\nSag Bescheid, wenn das so passt, dann fange ich mit Phase 1 an.",
        "Le plan :\n\n1. Ajouter le trait\n2. L'utiliser\n\nDis-moi si ça te convient et je commence la phase 1.",
        "El plan:\n\n1. Añadir el trait\n2. Usarlo\n\nDime si te parece bien y empiezo con la fase 1.",
        "O plano:\n\n1. Criar o trait\n2. Usá-lo\n\nMe diga se está tudo certo e eu começo a fase 1.",
        "Il piano:\n\n1. Aggiungere il trait\n2. Usarlo\n\nFammi sapere se ti va bene e comincio con la fase 1.",
        "План:\n\n1. Добавить трейт\n2. Использовать\n\nДай знать, если всё верно, и я начну с первой фазы.",
        "方案：\n\n1. 增加接口\n2. 替换调用\n\n如果没问题告诉我一声，我就开始第一阶段。",
    ] {
        let found = found(asks);
        assert_eq!((found.needs_answer(), found.kind), (true, DetectedKind::Approval), "{asks}: {found:?}");
    }
}

#[test]
fn who_is_to_be_told_and_goes_on_then_waits() {
    for asks in [
        "Preciso do arquivo `service-account.json` para testar o upload. Assim que você colocar na raiz do projeto, me avise e eu continuo.",
        "I need the file `service-account.json` to test the upload. Once you've put it into the project root, let me know and I'll continue.",
        "Ich brauche die Datei `service-account.json`. Sobald du sie abgelegt hast, sag Bescheid, dann mache ich weiter.",
        "Il me faut le fichier `service-account.json`. Dès que tu l'as ajouté, préviens-moi et je continue.",
        "Necesito el archivo `service-account.json`. En cuanto lo pongas en la raíz, avísame y sigo.",
        "Mi serve il file `service-account.json`. Appena l'hai messo nella cartella, avvisami e continuo.",
        "Нужен файл `service-account.json`. Как только положишь его в корень, дай знать, и я продолжу.",
        "测试上传需要 `service-account.json`。放到项目根目录后告诉我，我就继续。",
        "질문이 있습니다: 어떤 포트를 사용할까요?",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
    for waits_not in [
        "All 9 review comments are addressed. Ping me once CI is through if anything is red.",
        "Alle Kommentare sind erledigt. Melde dich nach dem CI-Lauf, falls etwas rot ist.",
        "Tous les commentaires sont traités. Préviens-moi après la CI si quelque chose est rouge.",
        "Todos los comentarios están resueltos. Avísame cuando termine la CI si algo sale en rojo.",
        "Todos os comentários foram resolvidos. Me avise quando a CI terminar se algo ficar vermelho.",
        "Tutti i commenti sono risolti. Avvisami quando la CI finisce se qualcosa è rosso.",
        "Все замечания исправлены. Напиши после CI, если что-то упадёт.",
        "评论都处理完了。CI 跑完后如果有什么红的再告诉我。",
        "이슈에 \"왜 로그인이 풀리나요?\"라는 질문이 있어 확인해 보니 쿠키 만료 시간이 잘못 설정되어 있었습니다. 7일로 수정했습니다.",
        "Done. Let me know if this looks right.",
        "Done. Let me know if everything works and I'll be glad.",
        "I'm ready when you are if you want more tests.",
        "If anything fails, the script tries again.",
    ] {
        assert!(!found(waits_not).needs_answer(), "{waits_not}: {:?}", found(waits_not));
    }
}

/// A verb of waiting and a word for a yes, however they are joined; and what only the human can do, for the agent.
#[test]
fn who_waits_for_a_yes_or_wants_a_right_asks() {
    for approval in [
        "Everything is staged, nothing is committed. Waiting for the green light.",
        "I'll wait for a thumbs-up before touching prod.",
        "Das Skript ist fertig. Ich rühre nichts an, bis du grünes Licht gibst.",
        "La migration est prête mais n'a pas été lancée. J'attends ton accord.",
        "Todo está listo y nada se ha publicado. Espero tu visto bueno.",
        "O script está pronto, mas ainda não rodei. Aguardo seu ok para continuar.",
        "Lo script è pronto ma non l'ho eseguito. Aspetto il tuo via libera.",
        "Скрипт готов, на проде ничего не менял. Жду отмашки.",
        "Plán je hotový. Čekám na tvé potvrzení, než začnu cokoli měnit.",
        "脚本已经写好，还没有执行。等你点头我再跑。",
        "スクリプトは準備済みですが、まだ実行していません。ご承認をお待ちしています。",
        "스크립트는 준비됐고 아직 실행하지 않았습니다. 승인을 기다리고 있습니다.",
    ] {
        assert_eq!(found(approval).kind, DetectedKind::Approval, "{approval}: {:?}", found(approval));
    }
    for blocking in [
        "Grant the `deploy` role access to the bucket and I'll pick this up again from step 3.",
        "Gib mir bitte Schreibrechte auf das Repository, dann mache ich weiter.",
        "Ajoutez ma clé au serveur et je pourrai terminer.",
        "Añade mi clave al servidor y continúo con la copia.",
        "Libere meu acesso ao repositório, aí eu consigo terminar.",
        "Aggiungi la mia chiave al server e riprendo da qui.",
        "Выдайте, пожалуйста, права на чтение, и я продолжу.",
        "Přidej mi prosím práva na repozitář, pak můžu pokračovat.",
        "请给我开通仓库的读权限，开通后我继续。",
        "リポジトリへの書き込み権限を付与してください。付与後に続きを進めます。",
        "저장소 쓰기 권한을 부여해 주세요. 그러면 이어서 작업하겠습니다.",
    ] {
        assert_eq!(found(blocking).kind, DetectedKind::Blocking, "{blocking}: {:?}", found(blocking));
    }
    for told in [
        "The deploy job waits for approval from the release team before it touches production.",
        "I'll wait for the build to finish and then check the logs.",
        "Add the key to your `.env` and restart the server; the login page should then load.",
        "Ich halte die Lösung für ok: die Tests sind grün.",
        "Ajoutez la clé dans votre `.env` et relancez le serveur : la page devrait se charger.",
        "Espero que con esto quede ok. Todos los tests pasan.",
        "O job aguarda a aprovação da equipe antes do deploy.",
        "L'aspetto della pagina ora è ok anche su mobile.",
        "Жду окончания сборки, затем проверю логи.",
        "Čekám na dokončení sestavení, pak zkontroluji logy.",
        "正在等待构建完成，之后我会检查日志。",
        "ビルドの完了を待って、ログを確認します。",
        "빌드가 끝나기를 기다린 뒤 로그를 확인하겠습니다.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
}

#[test]
fn who_has_no_right_to_go_on_asks_for_it_and_which_may_be_asked_in_any_case() {
    for blocking in [
        "The certificate expired and I can't renew it from here. Somebody with access to the registrar has to do that.",
        "Im Admin-Bereich muss jemand den Webhook freischalten, dafür reichen meine Rechte nicht.",
        "La suite dépend de vous : il faut activer le webhook dans la console, je n'en ai pas les droits.",
        "Lo que queda depende de ti: hay que activar el webhook en la consola y yo no tengo permisos.",
        "O resto depende de você: alguém precisa ativar o webhook no painel, eu não tenho permissão.",
        "Il resto dipende da te: bisogna attivare il webhook nel pannello e io non ho i permessi.",
        "Дальше дело за вами: в админке нужно включить вебхук, у меня на это нет прав.",
        "剩下的要靠你了：需要在后台开启 webhook，我没有权限。",
        "webhook の有効化だけですが、私には権限がありません。有効にしていただく必要があります。",
        "웹훅을 켜는 일인데 저에게 권한이 없습니다. 켜 주셔야 진행할 수 있습니다.",
        "Führ bitte `docker logs api` aus und kopier mir die letzten 50 Zeilen hierher.",
        "Roda `docker logs api` e cola aqui as últimas 50 linhas.",
        "在服务器上执行 `docker logs api`，把最后 50 行贴过来。",
    ] {
        assert_eq!(found(blocking).kind, DetectedKind::Blocking, "{blocking}: {:?}", found(blocking));
    }
    for choice in [
        "Sag mir einfach, welche es werden soll.",
        "À vous de me dire laquelle on retient.",
        "Dime con cuál nos quedamos.",
        "Me fala com qual a gente fica.",
        "Dimmi con quale andiamo avanti.",
        "Скажите, на каком остановимся.",
        "Řekni mi, kterou bereme.",
    ] {
        assert_eq!(found(choice).kind, DetectedKind::Choice, "{choice}: {:?}", found(choice));
    }
    for told in ["The logs say which host failed.", "Tell me if you hit a case which is not covered."] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
}

#[test]
fn what_is_needed_to_go_on_is_asked_for_and_so_is_a_consent() {
    for (kind, text) in [
        (DetectedKind::Blocking, "Para avanzar necesito el esquema de la tabla `clientes`."),
        (DetectedKind::Blocking, "Para avançar, preciso do esquema da tabela `clientes`."),
        (DetectedKind::Blocking, "Per andare avanti mi serve lo schema della tabella `clienti`."),
        (DetectedKind::Blocking, "Чтобы двигаться дальше, нужна схема таблицы `clients`."),
        (DetectedKind::Blocking, "Abych mohl pokračovat, potřebuji schéma tabulky `clients`."),
        (DetectedKind::Blocking, "要继续的话，我需要 `clients` 表的结构。"),
        (DetectedKind::Blocking, "続けるには `clients` テーブルのスキーマが必要です。"),
        (DetectedKind::Approval, "Ich mache das nur mit deinem ausdrücklichen Einverständnis."),
        (DetectedKind::Approval, "Rien n'a été supprimé ; j'ai besoin de votre aval avant de continuer."),
        (DetectedKind::Approval, "Non ho ancora cancellato nulla; procedo solo con la tua autorizzazione."),
        (DetectedKind::Approval, "Пока ничего не удалял, без вашего разрешения не начну."),
        (DetectedKind::Approval, "Zatím jsem nic nesmazal, bez tvého souhlasu nezačnu."),
        (DetectedKind::Approval, "目前什么都没删，没有你的许可我不会动手。"),
    ] {
        assert_eq!(found(text).kind, kind, "{text}: {:?}", found(text));
    }
    for told in [
        "Чтобы продолжить после сбоя, нужно просто запустить команду ещё раз.",
        "My token can't list private repos, so I used the public API. You'll find the result in `repos.json`.",
        "The spec doesn't mention retries, so I left them out.",
        "Ohne Zustimmung des Nutzers wird nichts gespeichert.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
}
