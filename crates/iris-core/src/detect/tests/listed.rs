//! What is wanted in a list, and what only looks so.

use super::*;

fn check(asks: bool, replies: &[&str]) {
    for reply in replies {
        let found = found(reply);
        assert_eq!(found.needs_answer(), asks, "{reply}\n{found:?}");
    }
}

#[test]
fn wishes_in_a_list_are_asked_for() {
    check(
        true,
        &[
            "The sensor is out of my reach. To calibrate it, please:\n\n1. Describe where it hangs\n2. Share the last reading\n3. Tell me which cable it has\n\nThen the offset can be set.",
            "I can't see your screen. Please:\n- open the settings page\n- copy the error text\n- paste it here\n\nWith that I'll find the cause.",
            "为了定位问题，请您：\n- 上传日志\n- 告知版本号\n\n如果方便，我也可以帮您写一份脚本。",
            "Ich komme nicht an die Dateien. Bitte:\n\n1. Schick mir das Modul\n2. Beschreibe den Fehler\n3. Nenne das Framework\n\nDann kann ich gezielt helfen.",
            "Merci de :\n- partager le fichier\n- décrire le problème\n- préciser la version\n\nJe pourrai alors vous aider.",
            "Faites ceci :\n1. Ouvrez le tableau.\n2. Exportez-le en CSV.\n3. Prévenez-moi quand c'est prêt.\n\nJe pourrai alors le lire.",
            "No puedo abrir el archivo. Por favor:\n\n1. Comparte el contenido\n2. Describe el problema\n3. Indica la versión\n\nAsí podré ayudarte mejor.",
            "Não consigo abrir o arquivo. Por favor:\n\n1. Compartilhe o conteúdo\n2. Descreva o problema\n3. Informe a versão\n\nAssim poderei ajudar melhor.",
            "Non riesco ad aprire il file. Per favore:\n\n1. Condividi il contenuto\n2. Descrivi il problema\n3. Indica la versione\n\nCosì potrò aiutarti.",
            "Не могу открыть файл. Пожалуйста:\n\n1. Пришлите содержимое\n2. Опишите проблему\n3. Укажите версию\n\nТогда я смогу помочь.",
            "Сделайте, пожалуйста, следующее:\n1. Подключите принтер\n2. Напечатайте пробный лист\n3. Напишите, когда будет готово\n\nПосле этого я настрою очередь.",
            "ファイルを開けません。以下をお願いします：\n\n1. 該当コードを共有する\n2. 症状を説明する\n3. 環境を教える\n\nそれをもとに調査します。",
            "次の手順をお願いします：\n1. ターミナルを開く\n2. ログインする\n3. 完了したら教えてください\n\n反応がない場合は再起動も試せます。",
            "직접 진행해 주세요:\n1. 터미널을 엽니다\n2. 로그인합니다\n3. 완료되면 알려주세요\n\n반응이 없으면 재부팅도 시도해 볼 수 있습니다.",
        ],
    );
    check(
        false,
        &[
            "The wizard is finished. To use it, please:\n1. Open the settings page\n2. Enter your key\n3. Click save\n\nThe badge turns green.",
            "Added the support page. It tells customers to:\n1. Share the order number\n2. Describe the problem\n3. Tell us when it happened\n\nAll tests pass.",
            "Done. Next steps:\n1. Run the migration\n2. Share the link with the team\n3. Describe the change in the wiki",
            "To deploy:\n1. Build the image\n2. Push it\n3. Tell your team\n\nEverything is documented in the README.",
            "功能已完成。使用方法：\n1. 打开设置\n2. 输入密钥\n3. 点击保存\n\n之后会自动同步。",
            "请按以下步骤使用：\n1. 运行 `npm i`\n2. 启动服务\n3. 打开浏览器\n\n即可看到页面。",
            "我在文档里写了提交规范：\n1. 说明改动\n2. 提供截图\n3. 告知测试方法\n\n全部完成。",
            "Fertig. So benutzt du es:\n1. Öffne die Einstellungen\n2. Gib den Schlüssel ein\n3. Teile den Link mit dem Team",
            "C'est prêt. Pour l'utiliser :\n1. Ouvrez les réglages\n2. Saisissez la clé\n3. Partagez le lien avec l'équipe",
            "Listo. Para usarlo:\n1. Abre los ajustes\n2. Introduce la clave\n3. Comparte el enlace con el equipo",
            "Pronto. Para usar:\n1. Abra as configurações\n2. Informe a chave\n3. Compartilhe o link com a equipe",
            "Готово. Как пользоваться:\n1. Откройте настройки\n2. Укажите ключ\n3. Поделитесь ссылкой с командой",
            "完成しました。使い方：\n1. 設定を開く\n2. キーを入力する\n3. リンクを共有する",
            "완료했습니다. 사용 방법:\n1. 설정을 엽니다\n2. 키를 입력합니다\n3. 링크를 공유합니다",
        ],
    );
}

#[test]
fn questions_with_lettered_answers_are_open() {
    check(
        true,
        &[
            "1. ¿Cómo querés ordenar las tarjetas?\n   - a) Por fecha\n   - b) Por nombre\n\n2. ¿Cuántas columnas necesitás?\n   - a) Dos\n   - b) Otra cantidad (decime cuántas)",
            "1. ¿Dónde guardás los archivos?\n   a) En disco\n   b) En la nube\n2. ¿Qué formato preferís?\n   a) PNG\n   b) Otro (indicá cuál)",
            "1. How should the cards be sorted?\n   - a) By date\n   - b) By name\n\n2. How many columns are needed?\n   - a) Two\n   - b) Another number (tell me how many)",
            "1. What colour is the door?\n   - a) Green\n   - b) Blue\n2. What hinges are needed?\n   - a) Brass\n   - b) Others (please specify)",
            "1. Comment trier les cartes ?\n   - a) Par date\n   - b) Par nom\n\n2. Combien de colonnes faut-il ?\n   - a) Deux\n   - b) Autre (précisez)",
            "1. Как сортировать карточки?\n   - а) По дате\n   - б) По имени\n\n2. Сколько нужно колонок?\n   - а) Две\n   - б) Другое (укажите сколько)",
            "1. 卡片怎么排序？\n   - a) 按日期\n   - b) 按名称\n\n2. 需要几列？\n   - a) 两列\n   - b) 其他（请注明）",
            "1. カードの並び順は？\n   - a) 日付順\n   - b) 名前順\n\n2. 列数はいくつ必要ですか？\n   - a) 2列\n   - b) その他（数を教えてください）",
            "1. 카드는 어떻게 정렬할까요?\n   - a) 날짜순\n   - b) 이름순\n\n2. 열은 몇 개 필요한가요?\n   - a) 두 개\n   - b) 기타 (알려주세요)",
        ],
    );
    check(
        false,
        &[
            "1. How are the cards sorted?\n   - By date, newest first.\n2. How many columns are there?\n   - Two on phones, four on desktops.",
            "FAQ draft:\n1. ¿Cómo se ordenan las tarjetas?\n   - Por fecha.\n2. ¿Cuántas columnas hay?\n   - Dos.",
            "I wrote the quiz:\n1. What does `let` do?\n   - a) binds\n   - b) loops\n2. What does `fn` do?\n   - a) declares\n   - b) returns\n\nAll ten questions are in `quiz.md`.",
        ],
    );
}
