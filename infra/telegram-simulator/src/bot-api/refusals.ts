/** One of Telegram's refusals, ready to be injected by its name. */
export interface Refusal {
  readonly code: number;
  readonly description: string;
  /** Answered as it is, where Telegram's front end answers before the Bot API does. */
  readonly html?: string;
}

const bad = (reason: string): Refusal => ({ code: 400, description: `Bad Request: ${reason}` });
const forbidden = (reason: string): Refusal => ({ code: 403, description: `Forbidden: ${reason}` });
const down = (code: number, reason: string): Refusal => ({
  code,
  description: reason,
  html: `<html>\r\n<head><title>${code} ${reason}</title></head>\r\n<body>\r\n<center><h1>${code} ${reason}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
});

/** The refusals that bots meet, in Telegram's words. */
export const REFUSALS = {
  unauthorized: { code: 401, description: 'Unauthorized' },
  blocked: forbidden('bot was blocked by the user'),
  deactivated: forbidden('user is deactivated'),
  notStarted: forbidden("bot can't initiate conversation with a user"),
  kicked: forbidden('bot was kicked from the supergroup chat'),
  notMember: forbidden('bot is not a member of the supergroup chat'),
  chatNotFound: bad('chat not found'),
  noRights: bad('not enough rights to send text messages to the chat'),
  migrated: bad('group chat was upgraded to a supergroup chat'),
  replyNotFound: bad('message to be replied not found'),
  editNotFound: bad('message to edit not found'),
  editForbidden: bad("message can't be edited"),
  notModified: bad(
    'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
  ),
  deleteNotFound: bad('message to delete not found'),
  deleteForbidden: bad("message can't be deleted"),
  topicNotFound: bad('message thread not found'),
  topicClosed: bad('TOPIC_CLOSED'),
  queryTooOld: bad('query is too old and response timeout expired or query ID is invalid'),
  tooLong: bad('message is too long'),
  badEntities: bad("can't parse entities: Can't find end of the entity starting at byte offset 0"),
  badRichBlock: bad('can\'t parse InputRichBlock: type "table" is unsupported'),
  badButton: bad('BUTTON_DATA_INVALID'),
  fileTooBig: bad('file is too big'),
  fileGone: bad('wrong file_id or the file is temporarily unavailable'),
  otherPoller: {
    code: 409,
    description: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  },
  webhookActive: {
    code: 409,
    description:
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  },
  tooLarge: { code: 413, description: 'Request Entity Too Large' },
  tooManyRequests: { code: 429, description: 'Too Many Requests: retry after 1' },
  serverError: { code: 500, description: 'Internal Server Error' },
  restart: { code: 500, description: 'Internal Server Error: restart' },
  badGateway: down(502, 'Bad Gateway'),
  unavailable: down(503, 'Service Temporarily Unavailable'),
  gatewayTimeout: down(504, 'Gateway Time-out'),
} as const satisfies Readonly<Record<string, Refusal>>;
