import type { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../src/auth/account-scope';
import { SECOND_MS } from '../../src/common/durations';
import type { ImportOptions } from '../../src/contact-imports/staging/import-options';
import type { Import } from '../../src/contact-imports/store/import.schema';
import { Imports } from '../../src/contact-imports/imports.service';
import { ImportsRepository } from '../../src/contact-imports/store/imports.repository';
import { ImportRunner } from '../../src/contact-imports/runs/import-runner.service';
import { FileStager } from '../../src/contact-imports/staging/file-stager.service';
import type { TestClient } from '../support/client';
import { crashAfterSteps } from '../support/crash-after-steps';
import { TestService } from '../support/service';

type Json = Record<string, unknown>;

/** Longer than the lease of a run. */
const LEASE_MS = 31 * SECOND_MS;

/** Ana is changed twice, Di is created and changed, Ed's row repeats what is known, and one row has the numbers of two. */
const CONTACTS = [
  'name,number,number 2,city,tags',
  'Anna,+447700900123,,York,',
  'Di,+447700900126,,,',
  'Anne,+447700900123,+447700900129,,vip',
  'Ed,+447700900127,,,',
  'x,+447700900123,+447700900126,,',
  'Dina,+447700900126,,,',
  'Fo,+447700900128,,,',
].join('\n');

const OPT_OUTS = ['+447700900123', '+447700900124', 'x', '+447700900123', '+447700900125'].join('\n');

describe('an import that is interrupted', () => {
  let service: TestService;
  let client: TestClient;
  let account: AccountScope;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(() => newAccount());
  afterAll(() => service.stop());

  async function newAccount() {
    client = await service.newAccount();
    account = accountScope(client.user);
    for (const [name, number] of [
      ['Ana', '+447700900123'],
      ['Ed', '+447700900127'],
    ])
      await client.post('/gateway/contacts', { name, numbers: [{ number }] }).expect(201);
    await client.post('/gateway/suppressions', { number: '+447700900124' }).expect(201);
  }

  async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from(file));
  }

  const stage = (file: string, options: ImportOptions) =>
    service.get(FileStager).stage(account, bytesOf(file), options);
  const run = (id: Types.ObjectId) => service.get(ImportRunner).run(account, id);
  const read = (id: Types.ObjectId) => service.get(Imports).get(account, id);

  /** What an import left: contacts by name and blocks by number, without ids and times. */
  async function stored() {
    const contacts = (await client.get('/gateway/contacts').expect(200)).body as { data: Json[] };
    const blocks = (await client.get('/gateway/suppressions').expect(200)).body as { data: Json[] };
    const rows = await service
      .collection('importrows')
      .find({ user: client.user })
      .sort({ row: 1 })
      .toArray();
    return {
      contacts: contacts.data.map(({ name, numbers, fields, tags }) => ({ name, numbers, fields, tags })),
      blocks: blocks.data
        .map(({ number, state, source }) => `${String(number)} ${String(state)} ${String(source)}`)
        .toSorted(),
      consents: await service.collection('consents').countDocuments({ user: client.user }),
      outcomes: rows.map(({ outcome }) => outcome as unknown),
    };
  }

  const progressOf = ({ state, counts, undone, appliedRows, rowsToUndo }: Import) => ({
    ...{ state, counts, undone, appliedRows, rowsToUndo },
  });

  /** Runs an import to its end, killed after each number of steps once. @returns what each of them left, and how many there are. */
  async function killedAtEachStep(
    file: string,
    options: ImportOptions,
    prepare: (id: Types.ObjectId) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const results: unknown[] = [];
    for (let steps = 0; ; steps += 1) {
      if (steps > 0) await newAccount();
      const { _id } = await stage(file, options);
      await prepare(_id);
      const died = await crashAfterSteps(steps, service, () => run(_id));
      if (died) {
        service.clock.advance(LEASE_MS);
        await run(_id);
      }
      results.push([progressOf(await read(_id)), await stored()]);
      if (!died) return results;
    }
  }

  const cases: readonly (readonly [string, string, ImportOptions])[] = [
    ['contacts', CONTACTS, { kind: 'contacts', tags: ['all'] }],
    ['opt-outs', OPT_OUTS, { kind: 'suppressions' }],
  ];

  it.each(cases)(
    'goes on with %s as if nothing had happened, wherever its process was killed',
    async (_, file, options) => {
      const results = await killedAtEachStep(file, options);
      expect(results.length).toBeGreaterThan(6);
      for (const result of results) expect(result).toEqual(results.at(-1));
    },
  );

  it.each(cases)('is undone for %s, wherever its process was killed', async (_, file, options) => {
    const before = await stored();
    const undo = async (id: Types.ObjectId) => {
      await run(id);
      await service.get(ImportsRepository).startUndo(await read(id), service.clock.now());
    };
    const results = await killedAtEachStep(file, options, undo);
    for (const result of results) expect(result).toEqual(results.at(-1));
    const { contacts, blocks } = await stored();
    expect({ contacts, blocks }).toEqual({ contacts: before.contacts, blocks: before.blocks });
  });

  it('is undone when that is asked for while it is applied', async () => {
    const before = await stored();
    const { _id } = await stage(CONTACTS, { kind: 'contacts' });
    await crashAfterSteps(4, service, () => run(_id));
    const asked = await client.delete(`/gateway/imports/${_id.toHexString()}`).expect(202);
    expect(asked.body).toMatchObject({ data: { state: 'applying' } });
    service.clock.advance(LEASE_MS);
    await service.get(ImportRunner).runDue();
    await run(_id);
    const undone = await client.delete(`/gateway/imports/${_id.toHexString()}`).expect(200);
    expect(undone.body).toMatchObject({ data: { state: 'undone', leftToUndo: 0 } });
    expect((await stored()).contacts).toEqual(before.contacts);
  });

  it('runs once, however many processes take it up', async () => {
    const lines = Array.from({ length: 1_200 }, (_, index) => `N${index},+4477009${String(10_000 + index)}`);
    const { _id } = await stage(`name,number\n${lines.join('\n')}\n`, { kind: 'contacts' });
    const other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    try {
      await Promise.all([run(_id), other.get(ImportRunner).run(account, _id)]);
      await Promise.all([run(_id), other.get(ImportRunner).run(account, _id)]);
    } finally {
      await other.stop();
    }
    expect(progressOf(await read(_id))).toMatchObject({ state: 'done', counts: { created: 1_200 } });
    expect(await service.collection('contacts').countDocuments({ user: client.user })).toBe(1_202);
  });
});
