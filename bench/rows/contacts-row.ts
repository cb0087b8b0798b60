import { accountScope } from '../../src/auth/account-scope';
import { newContact } from '../../src/contacts/store/contacts.repository';
import { closedLoop } from '../closed-loop';
import type { Records } from '../records';
import type { RowContext } from '../row-context';
import type { Tenant } from '../tenant';
import type { ActiveRow } from './row';

const CONTACTS = 100_000;
const CHUNK = 1_000;

const FIRST_NAMES = [
  'Ana',
  'Bruno',
  'Carla',
  'Dora',
  'Éva',
  'Lukas',
  'María',
  'Marta',
  'Olaf',
  'Şule',
  'Tom',
  'Zoë',
];
const SYLLABLES = ['ba', 'de', 'fi', 'go', 'hu', 'ka', 'le', 'mi', 'no', 'ru', 'sa', 'te', 'vi', 'wo'];

/** Searches of one letter, of words, of numbers in several spellings, and pages without one. */
const QUERIES = [
  '',
  'tag=vip',
  'search=m',
  'search=mar',
  'search=maria%20ba',
  'search=bade',
  'search=%2B4915',
  'search=0151%202001',
  'search=49151200500',
  'field=city&value=City%207',
];

/** Pages of 50 of an account with 100,000 contacts, one at a time: those of one account would queue, and their latency be that of the queue. */
export async function contactsPage({ http, records, tenantOf }: RowContext): Promise<ActiveRow> {
  const owner = await tenantOf('contacts_page');
  await storeContacts(records, owner);
  let calls = 0;
  return {
    owner,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds) =>
        closedLoop(seconds, 1, async () => {
          const query = QUERIES[calls++ % QUERIES.length] ?? '';
          await http.call({
            method: 'GET',
            path: `gateway/contacts?limit=50&${query}`,
            apiKey: owner.apiKey,
          });
          return 1;
        }),
    },
  };
}

/** Unless the account has them. */
async function storeContacts({ contacts, accounts }: Records, { user }: Tenant): Promise<void> {
  await accounts.updateOne({ _id: user }, { $set: { defaultCountry: 'DE' } });
  if (await contacts.findOne({ user })) return;
  const account = accountScope(user);
  const now = new Date();
  for (let first = 0; first < CONTACTS; first += CHUNK)
    await contacts.insertMany(
      Array.from({ length: CHUNK }, (_, index) => newContact(account, contentOf(first + index), now)),
      { ordered: false },
    );
}

function contentOf(n: number) {
  const syllable = (place: number) => SYLLABLES[Math.floor(n / 14 ** place) % 14] ?? '';
  const number = `+49151${String(20_000_000 + n)}`;
  return {
    name: `${FIRST_NAMES[n % FIRST_NAMES.length] ?? ''} ${[0, 1, 2, 3].map(syllable).join('')}`,
    numbers: [{ number, peerNumber: number }],
    fields: [{ name: 'city', value: `City ${n % 50}` }],
    tags: n % 10 === 0 ? ['customer', 'vip'] : ['customer'],
    lists: [],
  };
}
