//! Questions that are told, answered or written for others.

use super::*;

#[test]
fn what_is_not_said_to_anybody_is_not_asked() {
    check("It runs `is it ok?` and\n```\nShall I continue?\n```\nends.", DetectedKind::None, "");
    check("The dialog says \"Do you want to quit?\" now.", DetectedKind::None, "");
    check("See https://example.org/?q=should+i for more.", DetectedKind::None, "");
    check("| Should I? | yes |\n|---|---|\n\nThat is the table.", DetectedKind::None, "");
    check("# Why was it slow?\n\nIt read every row.", DetectedKind::None, "");
    check("Why was it slow? Because it read every row.", DetectedKind::None, "");
    check("Should it be a set? I went with a list.", DetectedKind::None, "");
}

#[test]
fn what_is_said_after_a_question_answers_it_or_says_why_it_is_asked() {
    let open = "What does `legacy_mode` mean? It is set for 12 tenants, and nothing in the code reads it.";
    check(open, DetectedKind::Blocking, "What does `legacy_mode` mean?");
    check("What does the flag mean? It turns the cache off for one request.", DetectedKind::None, "");
    check("I wondered whether to keep it or drop it? In the end I dropped it.", DetectedKind::None, "");
}

#[test]
fn the_questions_of_an_faq_are_nobody_s() {
    for (lead, asked) in [
        (
            "I wrote the FAQ:",
            [("Can I use my own domain?", "Explains the CNAME."), ("Do you offer refunds?", "See the terms.")],
        ),
        (
            "Die FAQ steht:",
            [("Kann ich eine eigene Domain nehmen?", "Erklärt den CNAME."), ("Soll ich sichern?", "Rät dazu.")],
        ),
        (
            "La FAQ :",
            [("Puis-je utiliser mon domaine ?", "Explique le CNAME."), ("Dois-je sauvegarder ?", "Le conseille.")],
        ),
        (
            "Preguntas frecuentes:",
            [("¿Puedo usar mi dominio?", "Explica el CNAME."), ("¿Debo hacer una copia?", "La aconseja.")],
        ),
        (
            "Частые вопросы:",
            [("Можно ли взять свой домен?", "Объясняет CNAME."), ("Нужно ли делать копию?", "Советует её.")],
        ),
        ("常见问题：", [("可以使用自己的域名吗？", "说明 CNAME。"), ("要不要先备份？", "建议做快照。")]),
        // Without its name: most of them are not what an agent asks.
        (
            "The help page:",
            [("Can I use my own domain?", "Explains the CNAME."), ("Is there a free tier?", "Lists the limits.")],
        ),
    ] {
        for set_off in [|q: &str, a: &str| format!("- **{q}** {a}\n"), |q: &str, a: &str| format!("**{q}**\n\n{a}\n\n")]
        {
            let list: String = asked.iter().map(|(question, answer)| set_off(question, answer)).collect();
            let reply = format!("{lead}\n\n{list}\nIt is linked from the footer.");
            assert!(!found(&reply).needs_answer(), "{reply}: {:?}", found(&reply));
        }
    }
    for asks in [
        "Before I start:\n\n- **Should I drop the table?** Nothing reads it.\n- **Should I rename it?** The ORM does.",
        "Open:\n\n1. **What is the limit?** I could not find it.\n2. **Should I encrypt it?** It costs 5 %.",
        "The FAQ is written. Should I publish it? It is linked from nowhere yet.",
    ] {
        assert!(found(asks).needs_answer(), "{asks}");
    }
}

#[test]
fn a_question_that_was_answered_before_is_not_asked_again() {
    for told in [
        "Earlier I asked: which port should I use? You answered 8080, so I've set it in `server.toml`.",
        "I had asked: Shall I delete the old table?\nYou said: yes.\n\nThe table is gone.",
        "My earlier question (which region should be the default?) is settled: eu-west-1, as you said.",
        "You asked: can it run offline? It can; the model is bundled.",
        "- Which port? 8080 (your answer)\n- Which host? localhost (your answer)\n\nBoth are written to the config.",
        "Ich hatte gefragt: Welcher Port? Du hast 8080 gesagt, das ist jetzt eingetragen.",
        "Ich hatte gefragt: Soll ich die Tabelle löschen? Du hast Ja gesagt. Sie ist weg.",
        "之前我问过：用哪个端口？你回答是 8080，已经写入配置。",
        "我之前问过：要不要删除旧表？你说没问题。旧表已经删了。",
        "I had asked: should I keep the cache? You said don't, so it is gone.",
        "J'avais demandé : quel port dois-je utiliser ? Tu as répondu 8080, c'est en place.",
        "Te pregunté antes: ¿qué puerto uso? Respondiste 8080 y ya está en el archivo.",
        "Eu tinha perguntado: qual porta devo usar? Você respondeu 8080, está no arquivo.",
        "Avevo chiesto: quale porta devo usare? Hai risposto 8080, ora è nel file.",
        "Я спрашивал: какой порт использовать? Вы ответили 8080, он записан.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    for asks in [
        "Earlier I asked: which port should I use? You haven't answered yet.",
        "I had asked: Shall I delete the old table? You said you'd think about it.",
        "My question: which port should I use? You said 8080 in the ticket, but the config has 9090.",
        "Which port should I use? You said 8080 in the ticket, and the config has 9090.",
        "Earlier I asked: which port should I use? You said 8080. It is taken. Which other one should I use?",
        "Ich hatte gefragt: Welchen Port soll ich nehmen? Du hast noch nichts gesagt.",
        "之前我问过：用哪个端口？你还没回答。",
        "Te pregunté antes: ¿qué puerto uso? Aún no has respondido.",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
}

#[test]
fn the_questions_of_a_survey_that_was_written_are_for_others() {
    for told in [
        "The survey form now has five questions:\n\n1. How did you hear about us?\n2. How satisfied are you with the product?\n3. Would you recommend it to a friend?\n4. What should we improve?\n5. May we contact you?\n\nThey're stored in `survey.json` and validated on the server.",
        "Interview questions for the backend role are in `hiring/backend.md`. Highlights: how would you design a rate limiter? What happens when a primary fails? When would you not use a queue? Each has a rubric with three levels.",
        "新增的问卷包含三道题：\n1. 您是从哪里了解到我们的？\n2. 您对服务是否满意？\n3. 您愿意推荐给朋友吗？\n\n数据写入 `survey` 表。",
        "Die Umfrage enthält jetzt drei Fragen:\n\n1. Wie haben Sie von uns erfahren?\n2. Würden Sie uns empfehlen?\n3. Dürfen wir Sie kontaktieren?\n\nSie stehen in `umfrage.json`.",
        "Le sondage contient trois questions :\n\n1. Comment nous avez-vous connus ?\n2. Nous recommanderiez-vous ?\n3. Pouvons-nous vous contacter ?\n\nElles sont dans `sondage.json`.",
        "La encuesta tiene ahora tres preguntas:\n\n1. ¿Cómo nos conoció?\n2. ¿Nos recomendaría?\n3. ¿Podemos contactarle?\n\nEstán en `encuesta.json`.",
        "O questionário contém três perguntas:\n\n1. Como nos conheceu?\n2. Você nos recomendaria?\n3. Podemos entrar em contato?\n\nEstão em `q.json`.",
        "Il sondaggio contiene tre domande:\n\n1. Come ci ha conosciuti?\n2. Ci consiglierebbe?\n3. Possiamo contattarla?\n\nSono in `s.json`.",
        "Опрос содержит три вопроса:\n\n1. Как вы о нас узнали?\n2. Порекомендуете ли вы нас?\n3. Можем ли мы с вами связаться?\n\nОни лежат в `survey.json`.",
        "アンケートには3つの質問が含まれています：\n1. どこで知りましたか？\n2. 満足していますか？\n3. 友人に勧めますか？\n\n`survey.json` に保存しました。",
        "설문에는 세 가지 질문이 포함되어 있습니다:\n1. 어떻게 알게 되셨나요?\n2. 만족하시나요?\n3. 추천하시겠습니까?\n\n`survey.json`에 저장했습니다.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    for asks in [
        "Interview questions are in `hiring/backend.md`. Should I also add a rubric? It takes an hour.",
        "Before I build the survey, a few questions:\n\n1. Which languages should it support?\n2. Is it anonymous?\n\nThe rest is done.",
        "The survey is not finished. Open questions:\n\n1. Should it be anonymous?\n2. May we store the e-mail?",
        "The survey now has five questions. Should I publish it?",
        "The survey has two open points:\n\n1. Should it be anonymous?\n2. Which languages should it have?\n\nThe rest is done.",
        "The survey contains these questions:\n\n1. Are you new?\n2. Are you glad?\n\nShould I publish it?",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
}

/// In every language: the second half says that it is nowhere written.
#[test]
fn a_question_that_no_paper_answers_is_asked() {
    for asks in [
        "How should the export behave if a customer has no VAT number? The spec doesn't cover it.",
        "What should happen on a second click? There's nothing about that in the ticket.",
        "Wie soll die Liste sortiert sein? Im Pflichtenheft steht nicht, ob nach Datum.",
        "Que doit afficher la page quand le panier est vide ? Le cahier des charges n'en parle pas.",
        "¿Qué debe pasar si el archivo supera los 100 MB? En la tarea no se dice nada.",
        "Pedidos estornados entram no total? A especificação não menciona.",
        "Cosa deve mostrare il report se non ci sono dati? Nel ticket non c'è scritto.",
        "Что должно происходить, если файл больше 100 МБ? В задаче об этом ничего нет.",
        "Jak se má export chovat, když zákazník nemá IČO? Zadání to neřeší.",
        "用户注销之后，历史评论怎么处理？产品文档没有覆盖这种情况。",
        "税率が変わった場合、過去の請求書も再計算しますか？要件には触れられていません。",
        "환불된 주문은 통계에서 빼야 하나요? 기획서에 내용이 없습니다.",
    ] {
        let found = found(asks);
        assert!(found.needs_answer() && found.kind == DetectedKind::Blocking, "{asks}: {found:?}");
    }
    let past = "Why did nobody notice? The ticket didn't mention the nightly job, so it was never tested.";
    assert!(!found(past).needs_answer(), "{:?}", found(past));
}

/// A measurement answers what the agent asked itself, and gives the reason for what it asks the human.
#[test]
fn what_was_measured_answers_or_says_why() {
    for told in [
        "One thing I wanted to know: does the index survive a restart? It does, the file is checked on open.",
        "Does it scale? The benchmark shows linear growth up to 64 cores.",
        "Offen war noch die Frage: reicht der Speicher? Die Messung zeigt, dass er reicht.",
        "Restait une question : le cache tient-il en mémoire ? Les mesures montrent que oui, 280 Mo au maximum.",
        "Quedaba una duda: ¿aguanta el índice con un millón de filas? Las pruebas muestran que sí.",
        "Restava saber: a fila aguenta o pico? O teste mostrou que aguenta.",
        "Restava un dubbio: la memoria basta? La misura dice di sì.",
        "Остаётся вопрос: хватит ли памяти? Замер показал, что хватит: пик 300 МБ.",
        "Zbývala otázka: stačí paměť? Měření ukázalo, že stačí.",
        "剩下的问题是：内存够不够？实测够用，峰值 300 MB。",
        "남은 의문은 하나였습니다. 메모리가 충분한가? 측정해 보니 최대 300MB로 충분했습니다.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    for asks in [
        "Shall I raise the pool size to 40? The load test shows that 20 connections are not enough.",
        "Soll ich den Pool auf 40 erhöhen? Der Lasttest zeigt, dass 20 Verbindungen nicht reichen.",
        "J'augmente la taille du pool ? Le test de charge montre que 20 connexions ne suffisent pas.",
        "¿Subo el límite a 40 conexiones? La prueba de carga muestra que 20 no bastan.",
        "Aumento o pool para 40? O teste de carga mostra que 20 conexões não bastam.",
        "Alzo il limite a 40 connessioni? Il test di carico mostra che 20 non bastano.",
        "Поднять лимит до 40 соединений? Нагрузочный тест показал, что 20 не хватает.",
        "Mám zvýšit limit na 40 spojení? Zátěžový test ukázal, že 20 nestačí.",
        "要我把连接池调到 40 吗？压测显示 20 个连接不够用。",
        "接続数の上限を 40 に上げますか？負荷テストでは 20 では足りないことが分かりました。",
        "연결 수를 40으로 올릴까요? 부하 테스트 결과 20으로는 부족했습니다.",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
}

#[test]
fn questions_in_quotation_marks_are_told() {
    for told in [
        "It has three questions: \"How old are you?\", \"Where do you live?\" and \"What do you do?\".",
        "Die Datei `faq.md` enthält jetzt drei Fragen: „Wie melde ich mich an?“, „Wo ist meine Rechnung?“.",
        "Le fichier contient les trois questions : « Comment m'inscrire ? », « Où trouver ma facture ? ».",
        "El archivo contiene ahora tres preguntas: «¿Cómo me registro?», «¿Dónde está mi factura?».",
        "В `faq.md` теперь три вопроса: «Как зарегистрироваться?», «Где мой счёт?» и «Кому звонить?».",
        "The dialog now asks ‘Don’t you want to keep your changes?’ and has two buttons.",
        "La fenêtre affiche ‹ Voulez-vous quitter ? › avec deux boutons.",
        "Der Dialog fragt jetzt ‚Wirklich beenden?‘ und hat zwei Knöpfe.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    assert!(found("I have three questions: which port, which host, which user?").needs_answer());
}

/// Also where nothing is said after them.
#[test]
fn the_questions_of_a_template_are_for_whoever_fills_it_in() {
    for told in [
        "I added the interview script to `research/script.md`:\n\n1. How do you deploy today?\n2. Who gets paged?",
        "I generated the retro agenda:\n\n1. What went well?\n2. What went badly?\n3. What do we change?",
        "Die Vorlage für Fehlerberichte enthält jetzt diese Fragen:\n\n- Was hast du erwartet?\n- Was ist passiert?",
        "Le modèle de PR pose maintenant deux questions :\n\n- Que change cette PR ?\n- Comment a-t-elle été testée ?",
        "He añadido la plantilla de incidencias con estas preguntas:\n\n- ¿Qué esperabas?\n- ¿Qué ocurrió?",
        "Criei o roteiro da retrospectiva:\n\n1. O que foi bem?\n2. O que vamos mudar?",
        "Ho aggiunto il modello per le segnalazioni con queste domande:\n\n- Cosa ti aspettavi?\n- Cosa è successo?",
        "Добавил шаблон баг-репорта с такими вопросами:\n\n- Что вы ожидали?\n- Что произошло?",
        "Přidal jsem šablonu pro hlášení chyb s těmito otázkami:\n\n- Co jste očekávali?\n- Co se stalo?",
        "我写好了故障复盘模板：\n\n- 影响范围是什么？\n- 是怎么发现的？",
        "障害報告のテンプレートを作成しました。\n\n- 影響範囲は？\n- どのように検知しましたか？",
        "장애 보고서 템플릿을 만들었습니다.\n\n- 영향 범위는 무엇인가요?\n- 어떻게 발견했나요?",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    for asks in [
        "I updated the bug template. Two questions remain:\n\n1. Should the version be mandatory?\n2. Who triages?",
        "Le modèle de données est à jour, deux points restent ouverts :\n\n1. Le champ est-il obligatoire ?\n2. Qui peut modifier une facture ?",
        "Шаблон обновил. Осталось два вопроса:\n\n1. Поле «версия» обязательное?\n2. Кто разбирает новые заявки?",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
}
