/*
 * Webhooks as public projects keep them for their own tests and samples, shortened to one of a kind:
 * - github.com/david-lev/pywa, tests/data/updates (MIT): text, document, voice, sticker, reply, location, unsupported, buttons,
 *   list, quick reply, edit, change of number, statuses
 * - github.com/Neurotech-HQ/heyoo, data.json (MIT): the text of `hi`
 * - github.com/Secreto31126/whatsapp-api-js, test/payloads/v25/incoming.json (MIT): the text with user ids
 */

const PERSON = '972987654321';

/** Wraps a message from the tests of pywa in a webhook body. */
function ofPywa(message: object): object {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1234567890987654321',
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '972123456789', phone_number_id: '1122334455667' },
              contacts: [{ profile: { name: 'Test Name' }, wa_id: PERSON }],
              messages: [message],
            },
            field: 'messages',
          },
        ],
      },
    ],
  };
}

function statusOfPywa(status: object): object {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '5467539754836534',
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '972123456789', phone_number_id: '1122334455667' },
              statuses: [status],
            },
            field: 'messages',
          },
        ],
      },
    ],
  };
}

const known = { from: PERSON, id: 'wamid.xyzxyz', timestamp: '1697043223' };

export const PUBLIC_PAYLOADS = {
  text: ofPywa({ ...known, text: { body: 'Body Text' }, type: 'text' }),
  document: ofPywa({
    ...known,
    context: { forwarded: true },
    type: 'document',
    document: {
      caption: 'caption',
      filename: 'filename.pdf',
      mime_type: 'application/pdf',
      sha256: 'grwfwe/ZPx0wAbdfbdeFUNItPZ0RylL8gGUvdt3YFqc18SY=',
      id: '1234567890987654321',
    },
  }),
  image: ofPywa({
    ...known,
    type: 'image',
    image: { mime_type: 'image/jpeg', sha256: '4654+8g=', id: '65463453' },
  }),
  voice: ofPywa({
    ...known,
    type: 'audio',
    audio: {
      mime_type: 'audio/ogg; codecs=opus',
      sha256: 'm04pFf2ERdaopTyFkGPA0+bX3i+YY2dYgVFwOgDLSDI=',
      id: '1234567890987654321',
      voice: true,
    },
  }),
  sticker: ofPywa({
    ...known,
    type: 'sticker',
    sticker: {
      mime_type: 'image/webp',
      sha256: 'OmT4nhjUhCMIPNmj7eeOZeCYjTXkLxoOv85OMCFwSuc=',
      id: '1234567890987654321',
      animated: false,
    },
  }),
  reply: ofPywa({
    ...known,
    context: { from: '972123456789', id: 'wamid.xyzxyz==' },
    text: { body: 'replied text' },
    type: 'text',
  }),
  location: ofPywa({ ...known, location: { latitude: 12.25089, longitude: 43.90539 }, type: 'location' }),
  contacts: ofPywa({
    ...known,
    type: 'contacts',
    contacts: [
      {
        name: { first_name: 'Monica', formatted_name: 'Monica' },
        phones: [{ phone: '+1 666-666-6666', wa_id: PERSON, type: 'HOME' }],
      },
    ],
  }),
  reaction: ofPywa({ ...known, type: 'reaction', reaction: { message_id: 'wamid.yzxyzx=', emoji: '😮' } }),
  unsupported: ofPywa({
    ...known,
    errors: [
      {
        code: 131051,
        title: 'Message type unknown',
        message: 'Message type unknown',
        error_data: { details: 'Message type is currently not supported.' },
      },
    ],
    type: 'unsupported',
  }),
  button: ofPywa({
    ...known,
    context: { from: '1122334455667', id: 'wamid.xyzxyz' },
    type: 'interactive',
    interactive: { type: 'button_reply', button_reply: { id: 'callback_data', title: 'title' } },
  }),
  list: ofPywa({
    ...known,
    context: { from: '1122334455667', id: 'wamid.xyzxyz' },
    type: 'interactive',
    interactive: {
      type: 'list_reply',
      list_reply: { id: 'callback_data', title: 'title', description: 'description' },
    },
  }),
  quickReply: ofPywa({
    ...known,
    context: { from: '972123456789', id: 'wamid.xyzxyz==' },
    type: 'button',
    button: { payload: 'callback_data', text: 'title' },
  }),
  edit: ofPywa({
    ...known,
    type: 'edit',
    edit: { original_message_id: 'wamid.zzzzzz', message: { type: 'text', text: { body: 'Text was edited' } } },
  }),
  numberChange: ofPywa({
    ...known,
    system: {
      body: 'User A changed from 972987654321 to 972912345678',
      wa_id: '972912345678',
      type: 'user_changed_number',
    },
    type: 'system',
  }),
  brokenInteractive: ofPywa({ ...known, type: 'interactive' }),
  sent: statusOfPywa({
    id: 'wamid.xyzxyz',
    status: 'sent',
    timestamp: '1698266945',
    recipient_id: PERSON,
    pricing: { billable: true, pricing_model: 'CBP', category: 'service' },
  }),
  failed: statusOfPywa({
    id: 'wamid.xyzxyz',
    status: 'failed',
    timestamp: '1689380458',
    recipient_id: PERSON,
    errors: [
      {
        code: 130472,
        title: "User's number is part of an experiment",
        message: "User's number is part of an experiment",
        error_data: {
          details: "Failed to send message because this user's phone number is part of an experiment",
        },
        href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
      },
    ],
  }),
  hi: {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '115653644479878',
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550650797', phone_number_id: '104469288944395' },
              contacts: [{ profile: { name: 'Jordan Kalebu' }, wa_id: '255757294146' }],
              messages: [
                {
                  from: '255757294146',
                  id: 'wamid.HBgMMjU1NzU3Mjk0MTQ2FQIAEhggMEFCRkVCRDlEQzdDQzAwQjNDOTI0QUY5OTk0RTkxNTMA',
                  timestamp: '1653048643',
                  text: { body: 'Hi' },
                  type: 'text',
                },
              ],
            },
            field: 'messages',
          },
        ],
      },
    ],
  },
  withUserIds: {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '1',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '16505551111', phone_number_id: '123456123' },
              contacts: [
                {
                  profile: { name: 'test user name', username: '@testusername' },
                  wa_id: '16315551181',
                  user_id: 'US.13491208655302741918',
                  parent_user_id: 'US.11815799212886844830',
                },
              ],
              messages: [
                {
                  from: '16315551181',
                  id: 'ABGGFlA5Fpa',
                  timestamp: '1504902988',
                  type: 'text',
                  text: { body: 'this is a text message' },
                  from_user_id: 'US.13491208655302741918',
                  from_parent_user_id: 'US.11815799212886844830',
                },
              ],
            },
          },
        ],
      },
    ],
  },
} as const;
