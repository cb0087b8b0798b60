import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { TooManyAttempts } from '../../src/auth/limits/limit.errors';
import { AuthAttemptLimiter } from '../../src/auth/limits/auth-attempt-limiter.service';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY } from './contract-client';
import { OPERATIONS } from './operations';

const password = 'correct horse battery';

const ACTIONS: Record<string, object> = {
  setAccountPlan: { plan: 'pro', password },
  disableAccount: { password },
  enableAccount: { password },
};

describe('operations of operators match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let operator: ContractClient;
  let stranger: ContractClient;

  beforeAll(async () => {
    service = await TestService.start();
    document = new ApiDocument(buildDocument(service.app));
    const [owner, tenant] = [await service.newAccount(), await service.newAccount()];
    const scope = accountScope(owner.user);
    const accounts = service.get(AccountsRepository);
    await accounts.setPassword(scope, await service.get(PasswordHasher).hash(password), null, new Date());
    await accounts.setOperator(scope, true, new Date());
    operator = new ContractClient(document, owner, (await service.signIn(owner)).accessToken);
    stranger = new ContractClient(document, tenant, (await service.signIn(tenant)).accessToken);
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  it('reads', async () => {
    await operator.call('getOverview', '200');
    await operator.call('listAccounts', '200');
    await operator.call('listAccounts', '400 VALIDATION_FAILED', { query: { cursor: '%' } });
  });

  it('actions', async () => {
    const path = { id: stranger.account.user.toHexString() };
    for (const [id, body] of Object.entries(ACTIONS)) {
      await operator.call(id, '200', { path, body });
      await operator.call(id, '400 VALIDATION_FAILED', { path: { id: 'nonsense' }, body });
      await operator.call(id, '404 ACCOUNT_NOT_FOUND', { path: { id: NOBODY }, body });
      await operator.call(id, '400 WRONG_PASSWORD', { path, body: { ...body, password: 'wrong' } });
      await operator.call(id, '400 MALFORMED_BODY', { path, body: '{"password": ' });
      await operator.call(id, '400 BODY_TOO_LARGE', { path, body: { text: 'x'.repeat(2_200_000) } });
    }
    const own = { id: operator.account.user.toHexString() };
    await operator.call('disableAccount', '400 OWN_ACCOUNT', { path: own, body: { password } });
    await operator.call('listOperatorActions', '200');
    jest.spyOn(service.get(AuthAttemptLimiter), 'count').mockRejectedValue(new TooManyAttempts(60));
    for (const [id, body] of Object.entries(ACTIONS))
      await operator.call(id, '429 TOO_MANY_ATTEMPTS', { path, body });
  });

  it('calls of others', async () => {
    for (const id of OPERATIONS) {
      const call = { path: { id: NOBODY }, ...(ACTIONS[id] && { body: ACTIONS[id] }) };
      await stranger.call(id, '404 NOT_FOUND', call);
      await stranger.call(id, '401 AUTH_INVALID', { ...call, headers: { 'x-api-key': 'wrong' } });
    }
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf(OPERATIONS)).toEqual([]);
  });
});
