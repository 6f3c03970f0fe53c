//! Which kind, and which options.

use super::*;

#[test]
fn options_are_listed_or_named_in_the_sentence() {
    let options = |text: &str| found(text).options;
    assert_eq!(options("Two ways:\n\n1. **Keep** it\n2. Drop it\n\nWhich one?"), ["1. Keep it", "2. Drop it"]);
    assert_eq!(options("Should I use JSON or YAML?"), ["use JSON", "YAML"]);
    let which = "Which should I use: Redis, Memcached or neither?";
    assert_eq!(options(which), ["Redis", "Memcached", "neither"]);
    assert_eq!(options("Should I use the following: Redis or Memcached?"), ["Redis", "Memcached"]);
    assert_eq!(options("Do you want me to retry, or skip the step?"), ["retry", "skip the step"]);
    assert_eq!(options("Shall I push it, or would you like to change something first?"), [""; 0]);
    assert_eq!(options("Can you send me the log or a screenshot?"), [""; 0]);
}

#[test]
fn what_the_agent_would_do_said_as_a_question_wants_a_yes() {
    for ask in [
        "Je pousse la branche et j'ouvre la PR ?",
        "Ich pushe den Branch und öffne den PR?",
        "Заливаю в main?",
        "Мержим в main?",
        "旧的 `v1/` 目录可以删掉了吗？",
        "那我先把表结构改了？",
    ] {
        let text = format!("OK. {ask}");
        let found = found(&text);
        assert_eq!(found.kind, DetectedKind::Approval, "{ask}: {found:?}");
    }
    check("OK. 你可以提供日志吗？", DetectedKind::Blocking, "你可以提供日志吗？");
}

#[test]
fn options_in_the_sentence_are_whole() {
    let options = |text: &str| found(text).options;
    let korean = "빌드가 중단되었습니다. 병렬 작업 수를 줄여서 다시 시도할까요, 아니면 이 단계를 건너뛸까요?";
    assert_eq!(options(korean), ["병렬 작업 수를 줄여서 다시 시도할까요", "이 단계를 건너뛸까요"]);
    let lettered =
        "Dá para fazer de dois jeitos: A) paginação no servidor; B) rolagem infinita no cliente. Qual você prefere?";
    assert_eq!(options(lettered), ["A) paginação no servidor", "B) rolagem infinita no cliente"]);
    let numbered = "We could 1) keep the table, or 2) drop it. Which do you prefer?";
    assert_eq!(options(numbered), ["1) keep the table", "2) drop it"]);
    let german = "Zwei Wege: (a) die Uhr fälschen oder (b) länger warten. Welchen willst du?";
    assert_eq!(options(german), ["(a) die Uhr fälschen", "(b) länger warten"]);
}

#[test]
fn a_failure_that_is_stated_first_is_no_option() {
    let check = |text: &str, kind: DetectedKind, options: &[&str]| {
        let found = found(text);
        assert_eq!((found.kind, found.options), (kind, options.iter().map(|&one| one.to_owned()).collect()), "{text}");
    };
    check("API failed, retry or skip?", DetectedKind::ErrorRecovery, &["retry", "skip"]);
    let file = "File not found, create it or use alternative?";
    check(file, DetectedKind::ErrorRecovery, &["create it", "use alternative"]);
    check("Permission denied: use sudo or stop?", DetectedKind::ErrorRecovery, &["use sudo", "stop"]);
    assert_eq!(found("Error handling, sync or async?").kind, DetectedKind::Choice);
    let when = "When the call failed, should I retry or skip?";
    check(when, DetectedKind::Choice, &["retry", "skip"]);
    let raise = "Two ways: raise the timeout or use a queue. Which one?";
    check(raise, DetectedKind::Choice, &["raise the timeout", "use a queue"]);
}

#[test]
fn the_reason_says_the_same_as_the_kind() {
    let reason = |text: &str| found(text).reason;
    assert_eq!(reason("Which region should I use?"), "\"which\" asks for something");
    assert_eq!(reason("How would you like me to handle it?"), "\"how would you like\" asks for something");
    assert_eq!(reason("Should I use JSON or YAML?"), "\"or\" asks to choose");
    assert_eq!(reason("Should I push it?"), "\"should i\" asks for a yes or a no");
    assert_eq!(reason("The push failed. Should I retry it?"), "\"retry\" asks how to go on");
}

#[test]
fn one_word_for_or_may_begin_another() {
    let found = detect("Dois-je corriger les deux failles, ou bien traiter l'ensemble ?", &DetectSettings::default());
    assert_eq!(found.options, ["corriger les deux failles", "traiter l'ensemble"]);
}

#[test]
fn a_bug_that_was_found_is_no_failure_and_either_of_two_answers_is_no_choice() {
    let kind = |text: &str| found(text).kind;
    for approval in [
        "He encontrado el fallo: la fecha se compara como cadena. ¿Lo aplico?",
        "원인은 캐시 키 충돌이었습니다. 수정안을 적용해도 될까요?",
        "Der Plan steht, geändert ist noch nichts. Ich warte auf deine Freigabe.",
    ] {
        assert_eq!(kind(approval), DetectedKind::Approval, "{approval}");
    }
    assert_eq!(kind("推送被远端拒绝，原因是分支受保护。要改走合并请求，还是先放一放？"), DetectedKind::ErrorRecovery);
    for blocking in [
        "There is no such file. Could you point me to it, or tell me which repo it's in?",
        "Bitte schick mir das Schema oder nenne mir den Pfad, sonst kann ich nicht weitermachen.",
        "请把配置文件发给我，或者告诉我它放在哪个目录。",
    ] {
        assert_eq!(kind(blocking), DetectedKind::Blocking, "{blocking}");
    }
    assert_eq!(kind("Should I use JSON or YAML?"), DetectedKind::Choice);
}

#[test]
fn the_kind_is_what_is_missing() {
    use DetectedKind::{Approval, Blocking, Choice, ErrorRecovery};
    for (kind, text) in [
        (Approval, "I've drafted it but left it as *Proposed*. Happy for me to flip it to Accepted?"),
        (Approval, "Скрипт готов, но не запущен. Жду вашего решения."),
        (Blocking, "I couldn't find a ticket number for the branch name. Mind giving me one?"),
        (Blocking, "No encuentro el fichero. Pásame la ruta exacta o súbelo al repositorio y sigo desde ahí."),
        (Blocking, "Ho riavviato il servizio. Adesso riesci ad accedere?"),
        (Blocking, "Il login adesso funziona?"),
        (Blocking, "订单取消之后，优惠券要不要退回给用户？需求文档里没有写。"),
        (Choice, "로그를 파일에 저장할까요, Loki로 보낼까요?"),
        (Choice, "Meglio un indice parziale o uno composto?"),
        (ErrorRecovery, "`git rebase` stopped at commit 7 of 12 with conflicts. Abort and merge instead?"),
        (ErrorRecovery, "`npm ci` bricht mit `ERESOLVE` ab. Soll ich eslint zurücksetzen oder das Preset rauswerfen?"),
        (ErrorRecovery, "`apt update` не прошёл: зеркало недоступно. Переключиться на другое зеркало?"),
    ] {
        assert_eq!(found(text).kind, kind, "{text}: {:?}", found(text));
    }
}

#[test]
fn the_second_half_of_a_question_is_of_the_kind_of_the_first() {
    let kind = |text: &str| found(text).kind;
    assert_eq!(kind("需要我继续做其中一步吗？比如写测试或者改文档？"), DetectedKind::Approval);
    assert_eq!(kind("Shall I go on with one of them? For example the tests or the docs?"), DetectedKind::Approval);
    assert_eq!(kind("Shall I write it anew? Or shall I mend the old one?"), DetectedKind::Choice);
    assert_eq!(kind("計画書を作成しますか？それとも、このまま実装を進めますか？"), DetectedKind::Choice);
}

#[test]
fn what_is_listed_after_reply_with_is_wanted() {
    let text = "Reply with:\n- the version of the router\n- the address of the host\n\nThen I'll run the scan.";
    assert_eq!(found(text).kind, DetectedKind::Blocking);
    assert_eq!(found("Reply with \"go\" to start.").kind, DetectedKind::Approval);
}

#[test]
fn should_i_before_a_list_asks_to_choose_from_all_of_it() {
    let found = found("**Should I:**\n1. Take the cache out?\n2. Connect your own server?\n\nThe second takes longer.");
    assert_eq!(found.kind, DetectedKind::Choice);
    assert_eq!(found.options, ["1. Take the cache out?", "2. Connect your own server?"]);
}

#[test]
fn which_of_a_list_is_a_choice_and_what_to_begin_with_is_none() {
    let list = "Ideas:\n\n1. Discovery\n2. Scheduling\n\nWhich part of the engine would you like to start with?";
    assert_eq!(found(list).kind, DetectedKind::Choice);
    let hello = "Hi! I can fix a bug or write a test. What would you like to do?";
    assert_eq!(found(hello).kind, DetectedKind::Blocking);
}

#[test]
fn later_and_more_about_it_are_no_second_way() {
    let kind = |text: &str| found(text).kind;
    assert_eq!(kind("Want me to merge all three, or leave it for later?"), DetectedKind::Approval);
    assert_eq!(kind("Should I build it in, or explain any part in more detail?"), DetectedKind::Approval);
    assert_eq!(kind("Would you like me to run it again or adjust the loaders?"), DetectedKind::Choice);
}

#[test]
fn what_is_asked_about_within_a_step_leaves_it_a_step() {
    let kind = |text: &str| found(text).kind;
    assert_eq!(kind("¿Quieres que te explique cómo entrar?"), DetectedKind::Approval);
    assert_eq!(kind("Should I write down how it works?"), DetectedKind::Approval);
    assert_eq!(kind("How should I name it?"), DetectedKind::Blocking);
    assert_eq!(kind("你希望我用什么格式？"), DetectedKind::Blocking);
    assert_eq!(kind("需要我给其中任何一步写测试吗？"), DetectedKind::Approval);
    assert_eq!(kind("次の段階に進みますか？"), DetectedKind::Approval);
    assert_eq!(kind("今は動きますか？"), DetectedKind::Blocking);
    assert_eq!(kind("Est-ce que ce plan correspond à ce que tu veux ?"), DetectedKind::Approval);
}

#[test]
fn what_failed_long_before_is_not_what_is_asked_about() {
    let text = "The import failed yesterday. I read the log. The rows are in order. The plan has two parts. \
                Both are small. Shall I begin?";
    assert_eq!(found(text).kind, DetectedKind::Approval);
    assert_eq!(found("The import failed. The file is locked. Shall I try again?").kind, DetectedKind::ErrorRecovery);
}
