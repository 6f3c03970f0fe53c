//! Questions that name nothing close, and questions that are only spoken of want nothing.

use super::*;

/// What is said before each, so that there is something finished to close.
fn after_work(questions: &[&str]) -> Vec<String> {
    questions.iter().map(|question| format!("I've finished the migration and all tests pass. {question}")).collect()
}

fn check_after_work(asking: &[&str], closing: &[&str]) {
    let (asking, closing) = (after_work(asking), after_work(closing));
    check_asking(&as_strs(&asking), &as_strs(&closing));
}

fn as_strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[test]
fn what_comes_next_closes_where_nothing_is_named() {
    check_after_work(
        &[
            "Next, do we fix the parser or add the cache?",
            "What should we add next, tests or docs?",
            "Sollen wir als Nächstes den Parser anpassen oder den Cache ergänzen?",
            "Vamos ajustar o parser ou adicionar o cache a seguir?",
            "接下来是先调整解析器还是先添加缓存？",
        ],
        &[
            "What do we improve next?",
            "What are we going to fix or add now?",
            "O que vamos melhorar ou corrigir agora?",
            "¿Qué ajustamos o añadimos a continuación?",
            "Qu'est-ce qu'on améliore ou ajoute ensuite ?",
            "Was wollen wir als Nächstes verbessern oder ergänzen?",
            "Cosa vogliamo migliorare o aggiungere adesso?",
            "Что будем улучшать или добавлять дальше?",
            "接下来我们要修改或增加什么？",
            "次は何を調整または追加しますか？",
            "Come vuoi proseguire adesso?",
            "Was sind deine nächsten Schritte?",
        ],
    );
}

#[test]
fn a_few_words_for_more_of_anything_close() {
    check_after_work(
        &[
            "More memory for the worker?",
            "Delete the other branch?",
            "Want me to fix these other parts?",
            "Supprimer les autres branches ?",
            "¿Borro los otros índices?",
            "其他分支也删掉吗？",
        ],
        &[
            "Any other tweaks?",
            "More changes?",
            "D'autres retouches ?",
            "Weitere Wünsche?",
            "¿Más cambios?",
            "Altri ritocchi?",
            "Outras alterações?",
            "Ещё правки?",
            "还有别的修改吗？",
            "他に修正は？",
            "다른 수정 사항은?",
        ],
    );
}

#[test]
fn to_adjust_or_explain_anything_is_no_step() {
    check_after_work(
        &[
            "Want me to adjust the timeout?",
            "Should I change something in `main.rs`?",
            "Should I change anything in the schema before I deploy?",
            "Would you like me to implement any of these ideas?",
            "¿Quieres que ajuste algo del esquema antes de desplegar?",
            "需要我把超时调整一下吗？",
        ],
        &[
            "Would you like me to change anything?",
            "Should I tweak something?",
            "Do you want me to explain any of these steps?",
            "Soll ich etwas ändern?",
            "Veux-tu que je modifie quelque chose ?",
            "¿Quieres que cambie algo?",
            "Quer que eu detalhe alguma dessas etapas?",
            "Vuoi che modifichi qualcosa?",
            "Хотите, чтобы я что-то изменил?",
            "需要我修改什么吗？",
            "何か調整しましょうか？",
        ],
    );
    check_asking(&["Here is the plan: I rename the table first. Want me to change anything?"], &[]);
}

#[test]
fn questions_that_are_known_are_not_put() {
    check_asking(
        &[
            "Before I start, I have two questions:\n\n- the region of the bucket\n- its owner",
            "Zwei Fragen vorab:\n\n- In welcher Region liegt der Bucket?\n- Wem gehört er?",
            "I need answers to the two questions above before I can go on.",
        ],
        &[
            "Here is what the code says about the two questions. The cache is local.",
            "The quiz now has three questions per page.",
            "Voici ce que je peux dire sur les trois questions : le cache est local.",
            "Zu den zwei Fragen aus dem Ticket: der Cache ist lokal.",
            "Aquí tienes la respuesta a las dos preguntas. La caché es local.",
            "Ecco la risposta alle due domande. La cache è locale.",
            "Segue a resposta para as duas perguntas. O cache é local.",
            "Ответ на два вопроса выше: кэш локальный.",
            "The factory exists already. What's missing is a test for the empty list.",
        ],
    );
}

#[test]
fn what_the_human_sent_tells_which_one() {
    check_asking(
        &["把你本地的日志贴出来，我再看。", "你发过来的日志不完整，请把完整的日志发给我。", "给我日志文件"],
        &[
            "从你发过来的截图看，布局是正常的。",
            "你贴出来的报错说明端口被占用，我已经改成 8081。",
            "刚才发给我的那段代码已经合并。",
        ],
    );
}

#[test]
fn to_try_and_tell_whether_is_an_offer() {
    check_asking(
        &[
            "테스트해보시고 나온 오류 메시지를 알려주세요.",
            "어떤 방식으로 진행할지 알려주세요.",
            "実行して、表示されたエラーメッセージを教えてください。",
            "どちらの案を試してみるか教えてください。",
            "我写好了设计文档，请看一下，告诉我是否可以。",
        ],
        &[
            "수정을 완료했습니다. 실행해보시고 화면이 제대로 뜨는지 꼭 알려주세요!",
            "修正が完了しました。試してみて、うまく動くか教えてください。",
            "修改已完成。刷新看一下效果，告诉我可不可以。",
            "I've fixed the header. Try it and tell me whether it works.",
        ],
    );
}

#[test]
fn an_errand_that_ends_is_told_and_a_design_waits() {
    check_asking(
        &[
            "Starte den Lauf bitte und sag mir Bescheid, wenn er durch ist.",
            "The branch is ready, tests are green. should i push it",
        ],
        &[
            "Prüfe es und sag mir Bescheid, wenn noch ein Fehler da ist.",
            "Ich starte den Lauf und sag dir Bescheid, wenn er durch ist.",
        ],
    );
    let design = "Please check the design document and let me know if it looks good to you.";
    check(design, DetectedKind::Approval, design);
}
