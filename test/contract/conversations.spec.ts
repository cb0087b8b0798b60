import { ContactBusy } from '../../src/contacts/store/contact.errors';
import { ContactsService } from '../../src/contacts/contacts.service';
import { SearchTooSlow } from '../../src/messages/lists/message-list.errors';
import { ConversationsRepository } from '../../src/messages/conversations/conversations.repository';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors, provokeConcurrencyLimits } from './contract-client';
import { fieldErrors } from './field-table';
import { CONVERSATIONS, VIEWS } from './operations';
import { CONTACT, CONVERSATION, CURSOR_META, VIEW } from './expected-fields';

const NUMBER = '+447700900123';

describe('the operations of conversations and views match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
    device = await client.account.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  it('a conversation', async () => {
    const sms = { sender: NUMBER, message: 'Yes, please' };
    await client.account.post(`/gateway/devices/${device}/receive-sms`, sms);
    const path = { number: NUMBER };
    expect(fieldErrors(CONVERSATION, await client.data('getConversation', { path }))).toEqual([]);
    const body = { note: 'A note' };
    expect(fieldErrors(CONVERSATION, await client.data('updateConversation', { path, body }))).toEqual([]);
    await client.data('markConversationRead', { path, body: {} });
    const contact = await client.data('createConversationContact', { path, body: { name: 'Ana' } }, 201);
    expect(fieldErrors(CONTACT, contact)).toEqual([]);
    await client.call('createConversationContact', '400 CONTACT_NUMBER_TAKEN', { path, body: {} });
    await client.call('createConversationContact', '400 VALIDATION_FAILED', {
      path,
      body: { language: 'German' },
    });
    const { data, meta } = (await client.call('listConversations', '200', {})).body as {
      data: unknown[];
      meta: { nextCursor: null };
    };
    expect(data.flatMap((each) => fieldErrors(CONVERSATION, each))).toEqual([]);
    const { nextCursor, ...rest } = meta;
    expect([fieldErrors(CURSOR_META, rest), nextCursor]).toEqual([[], null]);

    await client.call('updateConversation', '400 VALIDATION_FAILED', {
      path,
      body: { note: 'x'.repeat(2_001) },
    });
    await client.call('markConversationRead', '400 VALIDATION_FAILED', { path, body: { through: NOBODY } });
    await client.call('listConversations', '400 VALIDATION_FAILED', { query: { limit: 'x' } });
    await client.call('listConversations', '404 DEVICE_NOT_FOUND', { query: { deviceIds: NOBODY } });
    jest.spyOn(service.get(ContactsService), 'create').mockRejectedValue(new ContactBusy());
    await client.call('createConversationContact', '503 CONTACT_BUSY', { path, body: {} });
    jest.spyOn(service.get(ConversationsRepository), 'list').mockRejectedValue(new SearchTooSlow(2_000));
    await client.call('listConversations', '400 SEARCH_TOO_SLOW', { query: { search: 'x' } });
  });

  it('a view', async () => {
    const body = { name: 'Failed', query: 'status=failed' };
    const view = await client.data<{ _id: string }>('createView', { body }, 201);
    expect(fieldErrors(VIEW, view)).toEqual([]);
    expect(await client.data('listViews')).toEqual([view]);
    const path = { id: view._id };
    const changed = await client.data<object>('updateView', { path, body: { query: '' } });
    expect(fieldErrors(VIEW, changed)).toEqual([]);
    await client.call('createView', '400 VALIDATION_FAILED', { body });
    const other = await client.data<{ _id: string }>('createView', { body: { ...body, name: 'Other' } }, 201);
    await client.call('updateView', '400 VALIDATION_FAILED', { path, body: { name: 'Other' } });
    for (let index = 2; index < 50; index++)
      await client.data('createView', { body: { ...body, name: `View ${index}` } }, 201);
    await client.call('createView', '400 VIEW_LIMIT_REACHED', { body: { ...body, name: 'Excess' } });
    await client.data('deleteView', { path: { id: other._id } });
  });

  it('every error that they share', async () => {
    await provokeCommonErrors(document, client, [...CONVERSATIONS, ...VIEWS]);
    await provokeConcurrencyLimits(service, client, { listConversations: {} });
  });

  it('every documented response was seen', () => {
    expect(document.unseenOf([...CONVERSATIONS, ...VIEWS])).toEqual([]);
  });
});
