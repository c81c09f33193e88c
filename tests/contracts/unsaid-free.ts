/*
 * Sentences that name a change and order none, as people would write them in a chat of their team: no frame, no list of verbs. They were
 * written before the planner was tried on them, and are not changed to suit it.
 */
const TEXT = `
en
please don't deploy demo 1.1 to staging before the demo is over
who on earth would stop demo in staging right now
I was thinking we could roll back shop in production, thoughts?
not sure if we should release port 3001 on web-1
Ada wants to archive shop, I disagree
deploy demo 1.2 to production? over my dead body
never ever run rm -rf / on web-1
if the tests are green deploy demo 1.1 to staging
the runbook says "stop shop in staging" but it is outdated
we almost deployed demo 1.1 to production yesterday
deploy demo 1.1 to staging tomorrow at nine
hold on, don't cancel the deploy of demo
create a project called garden? no, forget that idea
would it hurt to mute shop in production for 2 hours
set LOG_LEVEL of shop in staging to debug, or rather don't
let's not register box-2 at 10.0.0.5 for staging yet
trust the host key of web-1? how can I know it's right
write a file notes.md is what the trainer told me to say
stop demo in staging unless somebody still uses it
I will deploy shop 2.0 to production myself, hands off
de
bitte auf keinen Fall demo 1.1 auf staging deployen
Demo in staging stoppen? Auf gar keinen Fall
wir sollten shop in production lieber nicht zurückrollen
wer hat gesagt, dass port 3001 auf web-1 frei werden soll
Ada will shop archivieren, ich bin dagegen
wenn die Tests grün sind, deploy demo 1.1 to staging
deploy demo 1.1 to staging erst wenn Ben zustimmt
ich würde shop niemals in production stoppen
das Projekt garden anlegen? lass mal
demo 1.2 bitte noch nicht deployen
im Runbook steht "stop shop in staging"
könnte man shop in production für 2 Stunden stumm schalten?
hätte ich demo 1.1 auf staging deployen sollen?
fast hätte ich port 3001 auf web-1 freigegeben
morgen früh deployen wir shop 2.0 nach production
keinesfalls LOG_LEVEL of shop in staging to debug setzen
den Server box-2 registrieren wir vorerst nicht
der Deploy von demo darf nicht abgebrochen werden
warum sollte man demo in staging stoppen
deploy shop 2.0 to production, Scherz
fr
surtout ne déploie pas demo 1.1 sur staging
faut-il arrêter demo sur staging ?
on ne devrait pas archiver shop
si les tests passent, deploy demo 1.1 to staging
Ada veut revenir en arrière sur shop en production, pas moi
le port 3001 de web-1 ne doit pas être libéré
je déploierai shop 2.0 en production moi-même
deploy demo 1.1 to staging, non merci
pourquoi créer un projet garden ?
n'annule pas le déploiement de demo
demain on déploie demo 1.2 en production
le manuel dit « stop shop in staging »
stop demo in staging, c'est ce que Ben voulait
mettre shop en sourdine en production ? jamais
j'ai failli déployer demo 1.1 en production
ne mets pas LOG_LEVEL of shop in staging to debug
et si on enregistrait box-2 pour staging ?
pas question de lancer rm -rf / sur web-1
deploy demo 1.1 to staging seulement si Ben est d'accord
qui a demandé de stopper shop en staging
es
por favor no despliegues demo 1.1 en staging
¿deberíamos parar demo en staging?
nunca archives shop
si pasan las pruebas, deploy demo 1.1 to staging
Ada quiere hacer rollback de shop en production, yo no
el puerto 3001 de web-1 todavía no se libera
mañana desplegamos shop 2.0 en production
deploy demo 1.1 to staging, mejor no
¿por qué crear un proyecto garden?
no canceles el deploy de demo
casi desplegué demo 1.1 en production
el manual dice "stop shop in staging"
stop demo in staging, decía Ben ayer
¿silenciar shop en production? ni hablar
no pongas LOG_LEVEL of shop in staging to debug
¿y si registramos box-2 para staging?
jamás ejecutes rm -rf / en web-1
deploy demo 1.1 to staging solo si Ben está de acuerdo
quién ha pedido parar shop en staging
deja demo en staging como está
it
per favore non fare il deploy di demo 1.1 su staging
dovremmo fermare demo in staging?
mai archiviare shop
se i test passano, deploy demo 1.1 to staging
Ada vuole il rollback di shop in production, io no
la porta 3001 di web-1 non va liberata
domani facciamo il deploy di shop 2.0 in production
deploy demo 1.1 to staging, anzi no
perché creare un progetto garden?
non annullare il deploy di demo
stavo per fare il deploy di demo 1.1 in production
il manuale dice "stop shop in staging"
stop demo in staging, diceva Ben ieri
silenziare shop in production? giammai
non mettere LOG_LEVEL of shop in staging to debug
e se registrassimo box-2 per staging?
non eseguire rm -rf / su web-1
deploy demo 1.1 to staging solo se Ben è d'accordo
chi ha chiesto di fermare shop in staging
lascia stare demo in staging
pt
por favor não faça deploy de demo 1.1 em staging
devemos parar demo em staging?
nunca arquive shop
se os testes passarem, deploy demo 1.1 to staging
a Ada quer rollback de shop em production, eu não
a porta 3001 de web-1 não deve ser liberada
amanhã fazemos deploy de shop 2.0 em production
deploy demo 1.1 to staging, melhor não
para que criar um projeto garden?
não cancele o deploy de demo
quase fiz deploy de demo 1.1 em production
o manual diz "stop shop in staging"
stop demo in staging, dizia o Ben ontem
silenciar shop em production? nem pensar
não coloque LOG_LEVEL of shop in staging to debug
e se registrarmos box-2 para staging?
jamais execute rm -rf / em web-1
deploy demo 1.1 to staging só se o Ben concordar
quem pediu para parar shop em staging
deixa demo em staging quieto
nl
deploy demo 1.1 alsjeblieft niet naar staging
moeten we demo in staging stoppen?
archiveer shop nooit
als de tests slagen, deploy demo 1.1 to staging
Ada wil shop in production terugdraaien, ik niet
poort 3001 op web-1 mag niet worden vrijgegeven
morgen deployen we shop 2.0 naar production
deploy demo 1.1 to staging, laat maar
waarom een project garden aanmaken?
breek de deploy van demo niet af
bijna had ik demo 1.1 naar production gedeployd
in het draaiboek staat "stop shop in staging"
stop demo in staging, zei Ben gisteren
shop in production dempen? geen sprake van
zet LOG_LEVEL of shop in staging to debug maar niet
en als we box-2 voor staging registreren?
voer nooit rm -rf / uit op web-1
deploy demo 1.1 to staging alleen als Ben het goed vindt
wie vroeg om shop in staging te stoppen
laat demo in staging met rust
pl
proszę nie wdrażaj demo 1.1 na staging
czy powinniśmy zatrzymać demo na staging?
nigdy nie archiwizuj shop
jeśli testy przejdą, deploy demo 1.1 to staging
Ada chce cofnąć shop na production, ja nie
portu 3001 na web-1 jeszcze nie zwalniaj
jutro wdrażamy shop 2.0 na production
deploy demo 1.1 to staging, jednak nie
po co tworzyć projekt garden?
nie anuluj wdrożenia demo
prawie wdrożyłem demo 1.1 na production
w instrukcji jest "stop shop in staging"
stop demo in staging, mówił wczoraj Ben
wyciszyć shop na production? mowy nie ma
nie ustawiaj LOG_LEVEL of shop in staging to debug
a gdybyśmy zarejestrowali box-2 dla staging?
nie uruchamiaj rm -rf / na web-1
deploy demo 1.1 to staging tylko za zgodą Bena
kto prosił o zatrzymanie shop na staging
zostaw demo na staging w spokoju
ru
пожалуйста, не деплой demo 1.1 на staging
стоит ли останавливать demo на staging?
никогда не архивируй shop
если тесты пройдут, deploy demo 1.1 to staging
Ада хочет откатить shop на production, а я нет
порт 3001 на web-1 пока не освобождай
завтра выкатываем shop 2.0 на production
deploy demo 1.1 to staging, хотя нет
зачем создавать проект garden?
не отменяй деплой demo
я чуть не выкатил demo 1.1 на production
в инструкции написано "stop shop in staging"
stop demo in staging, говорил вчера Бен
заглушить shop на production? ни за что
не ставь LOG_LEVEL of shop in staging to debug
а если зарегистрировать box-2 для staging?
не запускай rm -rf / на web-1
deploy demo 1.1 to staging только если Бен согласен
кто просил остановить shop на staging
оставь demo на staging в покое
uk
будь ласка, не деплой demo 1.1 на staging
чи варто зупиняти demo на staging?
ніколи не архівуй shop
якщо тести пройдуть, deploy demo 1.1 to staging
Ада хоче відкотити shop на production, а я ні
порт 3001 на web-1 поки не звільняй
завтра викочуємо shop 2.0 на production
deploy demo 1.1 to staging, хоча ні
навіщо створювати проєкт garden?
не скасовуй деплой demo
я мало не викотив demo 1.1 на production
в інструкції написано "stop shop in staging"
stop demo in staging, казав учора Бен
заглушити shop на production? нізащо
не став LOG_LEVEL of shop in staging to debug
а якщо зареєструвати box-2 для staging?
не запускай rm -rf / на web-1
deploy demo 1.1 to staging лише якщо Бен згоден
хто просив зупинити shop на staging
залиш demo на staging у спокої
tr
lütfen demo 1.1'i staging'e deploy etme
staging'de demo durdurulmalı mı?
shop'u asla arşivleme
testler geçerse deploy demo 1.1 to staging
Ada production'da shop'u geri almak istiyor, ben istemiyorum
web-1 üzerindeki 3001 portunu henüz bırakma
yarın shop 2.0'ı production'a deploy ederiz
deploy demo 1.1 to staging, vazgeçtim
garden projesini neden oluşturalım?
demo deploy'unu iptal etme
az kalsın demo 1.1'i production'a deploy ediyordum
kılavuzda "stop shop in staging" yazıyor
stop demo in staging demişti dün Ben
production'da shop'u susturmak mı? asla
set LOG_LEVEL of shop in staging to debug yapma
box-2'yi staging için kaydetsek mi?
web-1 üzerinde rm -rf / çalıştırma
deploy demo 1.1 to staging ancak Ben onaylarsa
staging'de shop'u durdurmayı kim istedi
staging'deki demo'ya dokunma
zh
请不要把 demo 1.1 部署到 staging
要不要停止 staging 的 demo？
千万别归档 shop
如果测试通过就 deploy demo 1.1 to staging
Ada 想回滚 production 的 shop，我不同意
web-1 的 3001 端口先不要释放
明天把 shop 2.0 部署到 production
deploy demo 1.1 to staging 还是算了
为什么要创建 garden 项目？
不要取消 demo 的部署
我差点把 demo 1.1 部署到 production
手册上写着 "stop shop in staging"
stop demo in staging 是 Ben 昨天说的
把 production 的 shop 静音？绝不
别 set LOG_LEVEL of shop in staging to debug
要是把 box-2 注册到 staging 呢？
不要在 web-1 上运行 rm -rf /
deploy demo 1.1 to staging 除非 Ben 反对
谁说要停掉 staging 的 shop
别动 staging 的 demo
ja
demo 1.1 を staging にデプロイしないでください
staging の demo を止めるべきですか？
shop は絶対にアーカイブしないで
テストが通ったら deploy demo 1.1 to staging
Ada は production の shop を戻したいそうですが、私は反対です
web-1 のポート 3001 はまだ解放しないで
明日 shop 2.0 を production にデプロイします
deploy demo 1.1 to staging やっぱりやめる
なぜ garden プロジェクトを作るの？
demo のデプロイをキャンセルしないで
もう少しで demo 1.1 を production に出すところだった
手順書には "stop shop in staging" とある
stop demo in staging と昨日 Ben が言っていた
production の shop をミュート？ありえない
set LOG_LEVEL of shop in staging to debug はだめ
box-2 を staging に登録したらどうなる？
web-1 で rm -rf / を実行しないで
deploy demo 1.1 to staging は Ben の承認後に
staging の shop を止めろと言ったのは誰
staging の demo には触らないで
ar
من فضلك لا تنشر demo 1.1 على staging
هل يجب إيقاف demo في staging؟
لا تؤرشف shop أبدا
إذا نجحت الاختبارات deploy demo 1.1 to staging
آدا تريد التراجع عن shop في production وأنا لا
لا تحرر المنفذ 3001 على web-1 بعد
غدا ننشر shop 2.0 على production
deploy demo 1.1 to staging لا داعي
لماذا ننشئ مشروع garden؟
لا تلغ نشر demo
كدت أنشر demo 1.1 على production
الدليل يقول "stop shop in staging"
stop demo in staging قال بن أمس
كتم shop في production؟ مستحيل
لا تضع LOG_LEVEL of shop in staging to debug
ماذا لو سجلنا box-2 في staging؟
لا تشغل rm -rf / على web-1
deploy demo 1.1 to staging فقط إذا وافق بن
من طلب إيقاف shop في staging
اترك demo في staging كما هو
sv
snälla deploya inte demo 1.1 till staging
borde vi stoppa demo i staging?
arkivera aldrig shop
om testerna går igenom, deploy demo 1.1 to staging
Ada vill rulla tillbaka shop i production, inte jag
port 3001 på web-1 ska inte släppas än
i morgon deployar vi shop 2.0 till production
deploy demo 1.1 to staging, eller nej
varför skapa ett projekt garden?
avbryt inte deployen av demo
jag var nära att deploya demo 1.1 till production
i handboken står det "stop shop in staging"
stop demo in staging, sa Ben i går
tysta shop i production? aldrig
sätt inte LOG_LEVEL of shop in staging to debug
tänk om vi registrerar box-2 för staging?
kör inte rm -rf / på web-1
deploy demo 1.1 to staging bara om Ben går med på det
vem bad om att stoppa shop i staging
låt demo i staging vara
`;

/** All of them; a line of two letters names the language of those below it. */
export const UNSAID_FREELY: readonly string[] = TEXT.split('\n').filter((line) => line.length > 2);
