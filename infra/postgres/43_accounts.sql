-- Where a channel is opened is published anew by each gateway at its start. What was kept before had a place for the code that
-- WhatsApp's addresses hid.
delete from settings where key like 'channel_link:%';
