import { MAX_LISTS_PER_ACCOUNT } from '../../src/contacts/store/contact-limits';
import { ContactBusy } from '../../src/contacts/store/contact.errors';
import { ContactMerge } from '../../src/contacts/contact-merge.service';
import { ContactsService } from '../../src/contacts/contacts.service';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors } from './contract-client';
import { CONTACT, CONTACT_LIST } from './expected-fields';
import { fieldErrors } from './field-table';
import { CONTACTS } from './operations';

const NUMBERS = [{ number: '+447700900123', label: 'Work' }];

describe('the operations of contacts match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const create = (body: object) => client.data<{ _id: string }>('createContact', { body }, 201);

  it('a contact', async () => {
    const body = { name: 'Ana', numbers: NUMBERS, fields: { city: 'Leeds' }, notes: 'x', language: 'en' };
    const contact = await create(body);
    expect(fieldErrors(CONTACT, contact)).toEqual([]);
    const path = { id: contact._id };
    expect(await client.data('getContact', { path })).toEqual(contact);
    expect(fieldErrors(CONTACT, await client.data('updateContact', { path, body: { notes: null } }))).toEqual(
      [],
    );
    const listed = await client.data<object[]>('listContacts', { query: { search: 'ana' } });
    expect(listed.flatMap((each) => fieldErrors(CONTACT, each))).toEqual([]);
    await client.call('listContacts', '400 VALIDATION_FAILED', { query: { cursor: 'none' } });
    await client.call('listContacts', '404 LIST_NOT_FOUND', { query: { listId: NOBODY } });

    const other = await create({ numbers: [{ number: '+447700900124' }] });
    await client.call('createContact', '400 VALIDATION_FAILED', { body: { numbers: [{ number: '1' }] } });
    await client.call('createContact', '400 CONTACT_NUMBER_TAKEN', { body });
    const wrong = { path, body: { numbers: [{ number: '1' }] } };
    await client.call('updateContact', '400 VALIDATION_FAILED', wrong);
    const taken = { path: { id: other._id }, body: { numbers: NUMBERS } };
    await client.call('updateContact', '400 CONTACT_NUMBER_TAKEN', taken);

    await client.call('mergeContact', '400 VALIDATION_FAILED', { path, body: { contactId: NOBODY } });
    const merged = await client.data('mergeContact', { path, body: { contactId: other._id } });
    expect(fieldErrors(CONTACT, merged)).toEqual([]);
    const contacts = service.get(ContactsService);
    jest.spyOn(contacts, 'create').mockRejectedValue(new ContactBusy());
    jest.spyOn(contacts, 'update').mockRejectedValue(new ContactBusy());
    jest.spyOn(service.get(ContactMerge), 'merge').mockRejectedValue(new ContactBusy());
    await client.call('createContact', '503 CONTACT_BUSY', { body });
    await client.call('updateContact', '503 CONTACT_BUSY', { path, body: {} });
    await client.call('mergeContact', '503 CONTACT_BUSY', { path, body: { contactId: other._id } });
    jest.restoreAllMocks();

    const device = await client.account.newDevice();
    await client.account.send(['+447700900123'], {
      deviceId: device,
      scheduledAt: new Date(service.clock.now().getTime() + 3_600_000).toISOString(),
    });
    const erase = { path, query: { erase: 'true' } };
    await client.call('deleteContact', '400 CONTACT_HAS_UNSETTLED_MESSAGES', erase);
    await client.data('deleteContact', { path });
  });

  it('a list', async () => {
    const { _id: contact } = await create({ numbers: NUMBERS });
    const list = await client.data<{ _id: string }>('createList', { body: { name: 'News' } }, 201);
    expect(fieldErrors(CONTACT_LIST, list)).toEqual([]);
    const path = { id: list._id };
    expect(await client.data('getList', { path })).toEqual(list);
    expect(await client.data('listLists')).toEqual([list]);
    const members = { path, body: { contactIds: [contact] } };
    expect(fieldErrors(CONTACT_LIST, await client.data('addMembers', members))).toEqual([]);
    const listed = await client.data<object[]>('listMembers', { path });
    expect(listed.map((each) => fieldErrors(CONTACT, each))).toEqual([[]]);
    await client.call('listMembers', '400 VALIDATION_FAILED', { path, query: { cursor: 'none' } });
    await client.call('addMembers', '400 VALIDATION_FAILED', { path, body: { contactIds: [NOBODY] } });
    expect(fieldErrors(CONTACT_LIST, await client.data('removeMembers', members))).toEqual([]);
    await client.call('removeMembers', '400 VALIDATION_FAILED', { path, body: { contactIds: ['x'] } });

    const segment = { name: 'Cologne', segment: { field: 'city', value: 'Köln' } };
    const made = await client.data<{ _id: string }>('createList', { body: segment }, 201);
    expect(fieldErrors(CONTACT_LIST, made)).toEqual([]);
    for (const operation of ['addMembers', 'removeMembers'])
      await client.call(operation, '400 LIST_IS_SEGMENT', { ...members, path: { id: made._id } });
    await client.call('createList', '400 VALIDATION_FAILED', { body: { name: 'news' } });
    await client.call('updateList', '400 VALIDATION_FAILED', { path, body: { name: 'Cologne' } });
    expect(
      fieldErrors(CONTACT_LIST, await client.data('updateList', { path, body: { name: 'Other' } })),
    ).toEqual([]);
    for (let index = 2; index < MAX_LISTS_PER_ACCOUNT; index++)
      await client.data('createList', { body: { name: `List ${index}` } }, 201);
    await client.call('createList', '400 LIST_LIMIT_REACHED', { body: { name: 'Excess' } });
    await client.data('deleteList', { path });
  });

  it('every error that they share', async () => {
    await provokeCommonErrors(document, client, CONTACTS);
  });

  it('every documented response was seen', () => {
    expect(document.unseenOf(CONTACTS)).toEqual([]);
  });
});
