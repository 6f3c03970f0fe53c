//! Which kind, and which options.

use super::*;

#[test]
fn options_are_listed_or_named_in_the_sentence() {
    let options = |text: &str| found(text).options;
    assert_eq!(options("Two ways:\n\n1. **Keep** it\n2. Drop it\n\nWhich one?"), ["1. Keep it", "2. Drop it"]);
    assert_eq!(options("Should I use JSON or YAML?"), ["use JSON", "YAML"]);
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
