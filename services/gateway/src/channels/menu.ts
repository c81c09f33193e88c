/*
 * What clients offer after "/". Names are English everywhere, because they are typed; the descriptions are in the language of
 * the person's client. Written by hand, short enough for a phone.
 */

/** Languages of the descriptions; English is for everybody else. */
export const MENU_LANGUAGES = ['en', 'de', 'es', 'fr', 'ru', 'uk', 'zh'] as const;
export type MenuLanguage = (typeof MENU_LANGUAGES)[number];

/** A command that clients offer. */
export interface MenuEntry {
  readonly command: string;
  /** Its answer is for its sender alone: in a group only the bot sees the command, where the client can do that. */
  readonly personal: boolean;
  readonly description: Readonly<Record<MenuLanguage, string>>;
}

/** For everybody. */
export const MENU: readonly MenuEntry[] = [
  {
    command: 'new',
    personal: false,
    description: {
      en: 'Start a new conversation',
      de: 'Ein neues Gespräch beginnen',
      es: 'Empezar otra conversación',
      fr: 'Commencer une nouvelle conversation',
      ru: 'Начать новый разговор',
      uk: 'Почати нову розмову',
      zh: '开始新的对话',
    },
  },
  {
    command: 'stop',
    personal: false,
    description: {
      en: 'Stop what I am doing for you',
      de: 'Anhalten, was ich gerade für dich tue',
      es: 'Detener lo que estoy haciendo para ti',
      fr: 'Arrêter ce que je fais pour vous',
      ru: 'Остановить то, что я для вас делаю',
      uk: 'Зупинити те, що я для вас роблю',
      zh: '停止我正在为你做的事',
    },
  },
  {
    command: 'status',
    personal: true,
    description: {
      en: 'What is going on',
      de: 'Was gerade läuft',
      es: 'Qué está en marcha',
      fr: 'Ce qui est en cours',
      ru: 'Что сейчас происходит',
      uk: 'Що зараз відбувається',
      zh: '查看当前进展',
    },
  },
  {
    command: 'approvals',
    personal: true,
    description: {
      en: 'What waits for approval',
      de: 'Was auf eine Freigabe wartet',
      es: 'Qué espera aprobación',
      fr: 'Ce qui attend une approbation',
      ru: 'Что ждёт одобрения',
      uk: 'Що чекає на схвалення',
      zh: '等待批准的请求',
    },
  },
  {
    command: 'why',
    personal: true,
    description: {
      en: 'Which rule decided about my actions',
      de: 'Welche Regel über meine Aktionen entschied',
      es: 'Qué regla decidió sobre mis acciones',
      fr: 'Quelle règle a décidé de mes actions',
      ru: 'Какое правило решило о моих действиях',
      uk: 'Яке правило вирішило щодо моїх дій',
      zh: '我的操作由哪条规则决定',
    },
  },
  {
    command: 'secret',
    personal: true,
    description: {
      en: 'Keep a password or key',
      de: 'Ein Passwort oder einen Schlüssel aufbewahren',
      es: 'Guardar una contraseña o una clave',
      fr: 'Garder un mot de passe ou une clé',
      ru: 'Сохранить пароль или ключ',
      uk: 'Зберегти пароль або ключ',
      zh: '保管密码或密钥',
    },
  },
  {
    command: 'help',
    personal: true,
    description: {
      en: 'What I can do',
      de: 'Was ich kann',
      es: 'Qué puedo hacer',
      fr: 'Ce que je sais faire',
      ru: 'Что я умею',
      uk: 'Що я вмію',
      zh: '我能做什么',
    },
  },
  {
    command: 'mute',
    personal: true,
    description: {
      en: 'Mute a service for a while',
      de: 'Meldungen zu einem Dienst stummschalten',
      es: 'Silenciar un servicio un rato',
      fr: 'Mettre un service en sourdine',
      ru: 'Заглушить сервис на время',
      uk: 'Заглушити сервіс на час',
      zh: '暂时静音某个服务',
    },
  },
  {
    command: 'whoami',
    personal: true,
    description: {
      en: 'Your name, id and role',
      de: 'Dein Name, deine Id und deine Rolle',
      es: 'Tu nombre, tu id y tu rol',
      fr: 'Votre nom, votre identifiant et votre rôle',
      ru: 'Ваше имя, id и роль',
      uk: 'Ваше ім’я, id і роль',
      zh: '你的姓名、ID 和角色',
    },
  },
];

/** For admins besides. */
export const ADMIN_MENU: readonly MenuEntry[] = [
  {
    command: 'people',
    personal: true,
    description: {
      en: 'Who may speak here',
      de: 'Wer hier sprechen darf',
      es: 'Quién puede hablar aquí',
      fr: 'Qui peut parler ici',
      ru: 'Кто может здесь писать',
      uk: 'Хто може тут писати',
      zh: '谁可以在这里发言',
    },
  },
  {
    command: 'invite',
    personal: true,
    description: {
      en: 'Let somebody in with a code',
      de: 'Jemanden mit einem Code hereinlassen',
      es: 'Invitar a alguien con un código',
      fr: 'Inviter quelqu’un avec un code',
      ru: 'Пригласить по коду',
      uk: 'Запросити за кодом',
      zh: '用邀请码邀请他人',
    },
  },
  {
    command: 'allow',
    personal: true,
    description: {
      en: 'Give somebody a role by id',
      de: 'Jemandem über die Id eine Rolle geben',
      es: 'Dar un rol a alguien por su id',
      fr: 'Donner un rôle à quelqu’un par son identifiant',
      ru: 'Дать роль по id',
      uk: 'Надати роль за id',
      zh: '按 ID 授予角色',
    },
  },
  {
    command: 'deny',
    personal: true,
    description: {
      en: 'Take a role away',
      de: 'Eine Rolle entziehen',
      es: 'Quitar un rol',
      fr: 'Retirer un rôle',
      ru: 'Забрать роль',
      uk: 'Забрати роль',
      zh: '取消角色',
    },
  },
  {
    command: 'users',
    personal: true,
    description: {
      en: 'Who is here, and when they wrote last',
      de: 'Wer hier ist und wann zuletzt geschrieben hat',
      es: 'Quién está y cuándo escribió',
      fr: 'Qui est là et quand il a écrit',
      ru: 'Кто здесь и когда писал',
      uk: 'Хто тут і коли писав',
      zh: '查看成员及最近发言时间',
    },
  },
  {
    command: 'role',
    personal: true,
    description: {
      en: 'Change somebody’s role',
      de: 'Die Rolle von jemandem ändern',
      es: 'Cambiar el rol de alguien',
      fr: 'Changer le rôle de quelqu’un',
      ru: 'Изменить чью-то роль',
      uk: 'Змінити чиюсь роль',
      zh: '更改某人的角色',
    },
  },
  {
    command: 'queues',
    personal: true,
    description: {
      en: 'What waits and what is stuck',
      de: 'Was wartet und was hängt',
      es: 'Qué espera y qué está atascado',
      fr: 'Ce qui attend et ce qui est bloqué',
      ru: 'Что ждёт и что застряло',
      uk: 'Що чекає і що застрягло',
      zh: '查看等待与卡住的任务',
    },
  },
];
