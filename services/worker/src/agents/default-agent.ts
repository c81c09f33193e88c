/** The agent of chats without a chosen agent, unless AGENT_DEFAULT names another. */
export const DEFAULT_AGENT = 'product_owner';
