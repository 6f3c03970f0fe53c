//! Words that ask, and where they only instruct, close or show.

use super::*;

#[test]
fn what_is_to_be_checked_is_no_yes() {
    check_asking(
        &[
            "O rascunho está pronto; confirme e eu publico.",
            "El borrador está listo; confirma y lo publico.",
            "The draft is ready; confirm and I'll publish it.",
            "The draft is ready; please confirm the title.",
            "Falta só um dado; confirme o nome do banco para eu seguir.",
            "Confirm the target branch and the tag name.",
            "Confirma el nombre y la región antes de que cree el bucket.",
            "Confirma el nombre y la región.",
            "Confirme o nome e a região.",
        ],
        &[
            "O pacote está correto; confirme a versão do Node nos clientes e limpe o cache.",
            "El paquete está bien; confirma la versión de Node y limpia la caché.",
            "Le paquet est bon ; confirmez la version de Node et videz le cache.",
        ],
    );
}

#[test]
fn what_it_cannot_reach_asks_where_the_work_ends() {
    check_asking(
        &[
            "I don't have access to the private registry, so I can't continue from here.",
            "I don't have access to the repository, so I'm stuck at this point.",
            "I don't have access to `secrets.yaml`; without it I can't finish the deploy.",
            "I don't have access to the staging database. I need read credentials to go on.",
            "Auf das private Repository habe ich keinen Zugriff, also komme ich nicht weiter.",
            "No tengo acceso al registro privado, así que no puedo continuar.",
            "Não tenho acesso ao registro privado e não consigo continuar.",
            "Je n'ai pas accès au registre privé, je ne peux pas continuer.",
            "Non ho accesso al registro privato, quindi non posso continuare.",
            "К приватному реестру нет доступа, дальше не могу.",
            "我没有权限访问私有仓库，无法继续。",
            "非公開レジストリにアクセスできません。これ以上は進められません。",
            "비공개 저장소에 접근할 수 없어 더 진행할 수 없습니다.",
            "K privátnímu registru nemám přístup, nemohu pokračovat.",
        ],
        &[
            "I don't have access to live data, so the figures are from March.",
            "I don't have access to your screen, but the CSS suggests a z-index issue.",
            "I can't run the app here, so I only checked that it compiles.",
            "I don't have access to a Windows machine; the fix is untested there.",
            "Users without a token can't continue past the first page.",
            "К старому чату нет доступа, поэтому опираюсь на файлы.",
            "我无法访问实时行情，因此用了昨天的收盘价。",
        ],
    );
}

#[test]
fn what_the_agent_shows_is_copied_by_the_human() {
    check_asking(
        &["Скопируйте вывод команды сюда.", "Скопируйте содержимое лога в чат.", "Please copy the output here."],
        &[
            "Я в режиме только для чтения. Скопируйте этот код в файл или переключите режим.",
            "Скопируйте этот блок целиком и замените им старый.",
            "Please copy this block into your config.",
            "Copy this snippet and replace the old one with it.",
            "Please copy the block above into `nginx.conf`.",
            "Copia este bloque y reemplaza el anterior.",
            "Copie este bloco e substitua o antigo.",
            "Copie ce bloc et remplace l'ancien.",
            "Kopiere diesen Block und ersetze damit den alten.",
            "Copia questo blocco e sostituisci il vecchio.",
            "请复制这段代码替换原来的内容。",
            "このコードをコピーして置き換えてください。",
            "이 코드를 복사해서 붙여넣어 주세요.",
        ],
    );
}

#[test]
fn what_the_agent_has_to_know_is_asked() {
    check_asking(
        &[
            "I need your decision on two points before I touch production.",
            "Ich brauche deine Entscheidung zu zwei Punkten.",
            "J'ai besoin de ta décision sur deux points.",
            "Necesito tu decisión sobre dos puntos.",
            "Preciso da sua decisão sobre dois pontos.",
            "Mi serve una tua decisione su due punti.",
            "Нужно ваше решение по двум пунктам.",
            "这两点需要你来决定。",
            "有两点需要你的决定。",
            "二点についてご判断をお願いします。",
            "두 가지에 대한 결정이 필요합니다. 알려 주세요.",
            "Potřebuji vaše rozhodnutí ve dvou bodech.",
            "I need to know whether the host runs Linux or Windows.",
            "Ich muss wissen, ob der Host unter Linux läuft.",
            "J'ai besoin de savoir si l'hôte tourne sous Linux.",
            "Necesito saber si el servidor es Linux o Windows.",
            "Preciso saber se o servidor é Linux ou Windows.",
            "Ho bisogno di sapere se il server è Linux o Windows.",
            "Мне нужно знать, Linux там или Windows.",
            "我需要知道服务器是 Linux 还是 Windows。",
            "Potřebuji vědět, jestli je to Linux nebo Windows.",
        ],
        &["Чтобы выбрать образ, скрипту нужно знать версию.", "脚本需要知道运行环境，所以我加了参数。"],
    );
}

#[test]
fn one_is_chosen_and_then_done() {
    check_asking(
        &[
            "Two ways: A keeps the cache, B drops it. Choose one and I'll implement it.",
            "Es gibt zwei Wege: A oder B. Wähle einen, dann setze ich ihn um.",
            "Deux voies : A ou B. Choisis-en une et je l'implémente.",
            "Hay dos caminos: A o B. Elige uno y lo implemento.",
            "Há dois caminhos: A ou B. Escolha um e eu implemento.",
            "Ci sono due strade: A o B. Scegline una e la implemento.",
            "Есть два пути: A и B. Выберите один, и я его реализую.",
            "有两个方案：A 或 B。选一个，我来实现。",
            "案は二つあります。どちらか選んでいただければ実装します。",
            "방법은 두 가지입니다. 하나를 골라 주시면 구현하겠습니다.",
            "この方針でよければ「OK」と返信してください。",
            "問題なければ「進めて」と返信してください。",
            "先别急着改，告诉我这个按钮应该跳到哪里。",
            "告诉我接口返回的是什么格式，我来写解析。",
        ],
        &[
            "The scheduler needs to know whether the host runs Linux.",
            "The docs build is clean. Possible follow-ups, only if you care:\n- dark theme\n- search\n\nPick one and I'll take it.",
            "Проверил, всё работает. Чем ещё могу помочь?",
            "Всё готово. Что ещё могу сделать для вас?",
            "完了しました。ほかにお手伝いできることはありますか？",
            "何かお手伝いできることはありますか？",
            "需要什么随时告诉我。",
            "如果不清楚用哪个版本，告诉我，我来查。",
            "日志会告诉我们哪里出了问题。",
            "运行后它会告诉我哪一步失败。",
            "Wähle im Menü eine Farbe und speichere.",
            "Выберите тему в настройках и сохраните.",
            "选一个主题，然后点保存。",
            "在设置里选一个主题，保存后生效。",
        ],
    );
}
