//! What the agent will ask for later, leave asked for by its name, and the word that gives it.

use super::*;

#[test]
fn what_it_will_ask_for_later_asks_nobody_now() {
    check_asking(
        &[
            "I'll start as soon as I have your approval.",
            "Once you confirm the region, I'll prepare the numbers for your approval.",
            "The rollout plan is below for your approval.",
            "Abaixo está o plano, para a sua aprovação.",
        ],
        &[
            "Before the tag is set I'll ask for your approval.",
            "Once the import is through I'll compare the counts and then report back.",
            "As soon as the nightly runs end I'll tidy up: delete the samples and present the totals for your approval.",
            "Vor dem Löschen hole ich deine Freigabe ein.",
            "Quand les imports seront finis, je te présenterai les totaux pour ta validation.",
            "Cuando acaben los procesos, te presento los totales para tu aprobación.",
            "Assim que os testes terminarem, apresento os totais para sua aprovação.",
            "Как только прогоны закончатся, вынесу цифры на ваше согласование.",
        ],
    );
}

#[test]
fn leave_is_asked_for_by_its_name() {
    check_asking(
        &[
            "Requesting permission to drop the staging schema.",
            "I need permission to run the installer as root.",
            "Ich bitte um Freigabe für das Löschen der Kopie.",
            "Je demande l'autorisation de vider la table.",
            "Pido permiso para vaciar la tabla.",
            "Peço autorização para esvaziar a tabela.",
            "Chiedo il permesso di svuotare la tabella.",
            "Прошу разрешения очистить таблицу.",
            "请求批准清空该表。",
            "테이블 삭제 승인을 요청드립니다.",
            "Žádám o svolení vyprázdnit tabulku.",
        ],
        &[
            "The page requests permission to use the microphone.",
            "Приложение запрашивает разрешение на геолокацию.",
            "The role needs permission to read the bucket; it has it now.",
        ],
    );
}

#[test]
fn nothing_without_your_word_waits_for_it() {
    check_asking(
        &[
            "I won't drop anything without your okay.",
            "Ohne dein Go lösche ich nichts.",
            "Sem o seu ok eu não apago nada.",
            "Без вашего слова ничего не удаляю.",
            "承認があるまで削除しません。",
            "승인 없이는 삭제하지 않겠습니다.",
        ],
        &[
            "Sorry, the branch should not have been deleted without your approval.",
            "Nothing was deleted without your approval.",
            "I took out the path that deleted rows without your approval.",
            "Es wurde nichts ohne deine Freigabe gelöscht.",
        ],
    );
}

#[test]
fn the_word_that_gives_leave_is_named() {
    check_asking(
        &[
            "Just say go.",
            "Sag Go, wenn ich anfangen soll.",
            "Sag einfach Ja.",
            "Dis oui et je lance l'import.",
            "Dime que sí y lanzo la importación.",
            "Dimmi di sì e avvio l'importazione.",
            "Скажи «давай» — и запущу импорт.",
            "说一声“好”，我就导入。",
            "よろしければ「進めて」と返信してください。",
            "\"진행\"이라고 하시면 바로 진행하겠습니다.",
            "Řekni ano a spustím import.",
        ],
        &[
            "Скажи «спасибо» ревьюеру: он нашёл ошибку.",
            "Say the word and I'll add the index.",
            "Sag Bescheid, falls etwas fehlt.",
        ],
    );
}

#[test]
fn who_is_ready_any_time_waits_for_nobody() {
    check_asking(
        &["Ready to start the import. Please confirm.", "Ready to start the import?"],
        &[
            "Ready to start the import whenever you want.",
            "Ready to proceed with the import when you are.",
            "Ready to proceed with the second half at your convenience.",
        ],
    );
}

#[test]
fn what_was_decided_or_came_up_is_told() {
    check_asking(
        &["Two decisions for you: the name and the port.", "I have a few questions about the format."],
        &[
            "Two decisions in the document differ from the brief: no login and no export.",
            "One decision worth knowing: retries stop at five.",
            "A few questions came up in the review and are answered there.",
            "Send the archive to the auditor and they'll check it.",
            "경고가 계속되면 로그를 보내 주세요.",
        ],
    );
}

#[test]
fn whoever_is_told_to_decide_is_asked() {
    check_asking(
        &[
            "Décide quelle variante on garde.",
            "Решите, пожалуйста, какой вариант оставить.",
            "どの案で進めるか決めてください。",
            "Rozhodni, kterou variantu necháme.",
            "Falta o certificado para eu continuar.",
        ],
        &["Позже решите, какой вариант оставить.", "You can decide later which one stays."],
    );
}

#[test]
fn an_offer_before_a_dash_does_not_make_one_of_the_question_behind_it() {
    check_asking(
        &["Happy to do it either way — which do you prefer?", "If that sounds right, I'll go ahead."],
        &[
            "Happy to help — anything else?",
            "Want to try it? Run `make demo`.",
            "¿Quieres probarlo? Ejecuta `make demo`.",
            "Willst du es ausprobieren? Starte `make demo`.",
        ],
    );
}

#[test]
fn the_same_words_ask_however_they_are_written() {
    check_asking(
        &[
            "案Bで進めて良いですか？確認次第、移行します。",
            "このまま削除しても宜しいでしょうか。確認次第、削除します。",
            "ログを貼って下さい。",
            "方針が問題なければ教えて下さい。",
            "確認沒問題的話我就開始匯入。",
            "로그를 붙여주세요.",
        ],
        &["ご不明な点があればお知らせ下さい。", "如需調整，請告訴我。"],
    );
}
