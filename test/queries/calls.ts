import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { DeviceTokensRepository } from '../../src/auth/device-tokens/device-tokens.repository';
import { OneTimeCodesRepository } from '../../src/auth/one-time-codes/one-time-codes.repository';
import { SignInLinksRepository } from '../../src/auth/sessions/sign-in-links.repository';
import { SessionsRepository } from '../../src/auth/sessions/sessions.repository';
import { PlansRepository } from '../../src/billing/plans/plans.repository';
import { SEEDED_PLANS, UNLIMITED } from '../../src/billing/plans/plan.schema';
import { periodOf } from '../../src/billing/usage/usage-period';
import { UsageRepository } from '../../src/billing/usage/usage.repository';
import { ErasureRepository } from '../../src/erasure/erasure.repository';
import { connectionEvent } from '../../src/devices/connection/connection-transition';
import { ConnectionsRepository } from '../../src/devices/connection/connections.repository';
import { DeviceOutbox, SimOutbox } from '../../src/devices/outbox/operational-outboxes';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { PoolsRepository } from '../../src/devices/sims/pools/pools.repository';
import { simEvent } from '../../src/devices/sims/sim-event';
import { SimHealthRepository } from '../../src/devices/sims/sim-health.repository';
import { SimUsageRepository } from '../../src/devices/sims/sim-usage.repository';
import type { SimUsage } from '../../src/devices/sims/schemas/sim-usage.schema';
import { SimsRepository } from '../../src/devices/sims/sims.repository';
import { TimelinesRepository } from '../../src/devices/sims/timelines.repository';
import { BatchChangesRepository } from '../../src/gateway/batches/batch-changes.repository';
import { type BatchFilter, BatchViewsRepository } from '../../src/gateway/batches/batch-views.repository';
import { MessageMovesRepository } from '../../src/gateway/routing/message-moves.repository';
import { PausedMessagesRepository } from '../../src/gateway/routing/paused-messages.repository';
import { PoolMessagesRepository } from '../../src/gateway/senders/pool-messages.repository';
import { WaitingMessagesRepository } from '../../src/gateway/routing/waiting-messages.repository';
import { BatchCancellationsRepository } from '../../src/gateway/cancellation/batch-cancellations.repository';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { CancellationRepository } from '../../src/gateway/cancellation/cancellation.repository';
import { LoopMessagesRepository } from '../../src/gateway/loop-tests/loop-messages.repository';
import { LoopTestsRepository } from '../../src/gateway/loop-tests/loop-tests.repository';
import { CheckupRepository } from '../../src/gateway/insight/checkup/checkup.repository';
import { SendQueueRepository } from '../../src/gateway/insight/send-queue/send-queue.repository';
import { DrainRepository } from '../../src/gateway/drain/drain.repository';
import { DispatchOutcomesRepository } from '../../src/gateway/dispatch/dispatch-outcomes.repository';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { WavesRepository } from '../../src/gateway/waves/waves.repository';
import { OfferClaimsRepository } from '../../src/gateway/dispatch/offer-claims.repository';
import { UnconfirmedMessagesRepository } from '../../src/phones/checks/unconfirmed-messages.repository';
import { PairingCodesRepository } from '../../src/pairing-codes/pairing-codes.repository';
import { MessageRetentionRepository } from '../../src/maintenance/retention/message-retention.repository';
import { TotalsRepository } from '../../src/totals/totals.repository';
import { MessageDeletionRepository } from '../../src/messages/deletion/message-deletion.repository';
import { ConversationsRepository } from '../../src/messages/conversations/conversations.repository';
import { ConversationMessagesRepository } from '../../src/messages/conversations/conversation-messages.repository';
import { ORDERS } from '../../src/messages/lists/message-cursor';
import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import type { MessageFilter } from '../../src/messages/lists/message-query';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { MessageRedeliveryRepository } from '../../src/messages/message-redelivery.repository';
import type { Outbox } from '../../src/infrastructure/mongo/outbox';
import type { OwnedId } from '../../src/infrastructure/mongo/owned-ids';
import { OutboxRepository } from '../../src/messages/outbox/outbox.repository';
import { SimOutcomesRepository } from '../../src/messages/reports/sim-outcomes.repository';
import { AttemptReportsRepository } from '../../src/messages/reports/attempt-reports.repository';
import { ReportsRepository } from '../../src/messages/reports/reports.repository';
import { parseReport } from '../../src/messages/reports/status-report';
import { AutoRepliesRepository } from '../../src/consent/auto-replies/auto-replies.repository';
import { ConsentErasureRepository } from '../../src/consent/erasure/consent-erasure.repository';
import {
  type ContactCondition,
  ContactPagesRepository,
} from '../../src/contacts/store/contact-pages.repository';
import { contentOf, ContactsRepository, newContact } from '../../src/contacts/store/contacts.repository';
import { ContactListsRepository } from '../../src/contacts/lists/contact-lists.repository';
import { ListMembersRepository } from '../../src/contacts/lists/list-members.repository';
import { ConsentRecordsRepository } from '../../src/consent/records/consent-records.repository';
import { SuppressionsRepository } from '../../src/consent/suppressions/suppressions.repository';
import { ReceivedTextsRepository } from '../../src/gateway/suppressions/received-texts.repository';
import { SuppressedMessagesRepository } from '../../src/gateway/suppressions/suppressed-messages.repository';
import { InstallationSecretsRepository } from '../../src/infrastructure/encryption/installation-secrets.repository';
import { AccountNoticesRepository } from '../../src/notices/account-notices.repository';
import { DEFAULT_NOTICE_SETTINGS } from '../../src/notices/notice-topic';
import { NoticesRepository } from '../../src/notices/notices.repository';
import { OperatorActionsRepository } from '../../src/ops/operations/operator-actions.repository';
import { ViewsRepository } from '../../src/messages/views/views.repository';
import { DeliveriesRepository } from '../../src/webhooks/deliveries/deliveries.repository';
import {
  DeliveryHistoryRepository,
  type HistoryFilter,
} from '../../src/webhooks/history/delivery-history.repository';
import { RedeliveryRepository } from '../../src/webhooks/redelivery/redelivery.repository';
import { RunnerLeasesRepository } from '../../src/webhooks/runners/runner-leases.repository';
import { updateAfterAttempt } from '../../src/webhooks/deliveries/delivery-update';
import { SubscriptionPauseRepository } from '../../src/webhooks/pausing/subscription-pause.repository';
import { WebhookSubscriptionsRepository } from '../../src/webhooks/subscriptions/webhook-subscriptions.repository';
import { SubscriptionTotalsRepository } from '../../src/webhooks/deliveries/subscription-totals.repository';
import { attemptSummary } from '../../src/webhooks/deliveries/attempt-summary';
import type { AssembledService } from './assembled-service';
import { callImports } from './import-calls';
import {
  CONTACT_LIST,
  contactNumber,
  keyOfNumber,
  newBatch,
  newDelivery,
  newDevice,
  newKey,
  newMessage,
  newSim,
  newSubscription,
  pick,
  type Stored,
} from './stored';

const HOUR = 3_600_000;
const LIMIT = 100;
const EVER = new Date(0);

/**
 * Calls every method of every repository with all variants of its query, without checking the results.
 */
export async function callEverything(service: AssembledService, stored: Stored): Promise<void> {
  await callAuth(service, stored);
  await callMaintenance(service, stored);
  await callBilling(service, stored);
  await callErasure(service, stored);
  await callNotices(service, stored);
  await callLoopTests(service, stored);
  await callConsent(service, stored);
  await callImports(service, stored);
  await callContacts(service, stored);
  await callDevices(service, stored);
  await callPools(service, stored);
  await callSims(service, stored);
  await callMessageLists(service, stored);
  await callMessages(service, stored);
  await callDispatch(service, stored);
  await callCancellations(service, stored);
  await callBatches(service, stored);
  await callBatchResource(service, stored);
  await callMessageRetention(service, stored);
  await callConversations(service, stored);
  await callViews(service, stored);
  await callSubscriptions(service, stored);
  await callHistory(service, stored);
  await callDeliveries(service, stored);
}

/** Every subset of the fields. */
function choices<Fields extends object>(fields: Fields): Partial<Fields>[] {
  return Object.entries(fields).reduce<Partial<Fields>[]>(
    (chosen, [field, value]) => chosen.flatMap((each) => [each, { ...each, [field]: value as unknown }]),
    [{}],
  );
}

const later = (now: Date) => new Date(now.getTime() + HOUR);
const earlier = (now: Date) => new Date(now.getTime() - HOUR);
const idsOf = (items: readonly { readonly _id: Types.ObjectId }[], count = 20) =>
  items.slice(0, count).map(({ _id }) => _id);

async function callAuth(
  service: AssembledService,
  { owner, key, revoked, session, devices, now }: Stored,
): Promise<void> {
  const account = accountScope(owner._id);
  const device = pick(devices, 0)._id;

  const accounts = service.get(AccountsRepository);
  await accounts.hasAny();
  await accounts.create(owner);
  await accounts.findProfile(account);
  await accounts.findCredentials(owner.email);
  await accounts.findOwnCredentials(account);
  await accounts.findTokenGenerations([owner._id]);
  await accounts.findTokenGeneration(account);
  await accounts.setPassword(account, 'hash', undefined, now);
  await accounts.setPassword(account, 'hash of another', 'hash', now);
  await accounts.setPassword(account, 'first hash', null, now);
  await accounts.markVerified(account, owner.email, now);
  await accounts.rename(account, 'Test', now);
  for (const country of ['GB', '']) await accounts.setDefaultCountry(account, country, now);
  await accounts.setConsent(account, { enabled: true }, ['contact'], now);
  await accounts.changeEmail(account, owner.email, `new-${owner.email}`, now);
  await accounts.resetPassword(account, owner.email, 'hash', now);
  await accounts.markVerifiedWithoutPassword(account, owner.email, now);
  await accounts.endSessions(account, now);
  await accounts.wasVerified(account);
  await accounts.recordKnownAddress(account, '192.0.2.1', now);
  await accounts.removeUnverified(earlier(now));
  await accounts.setPlan(account, 'pro', now);
  await accounts.disable(account, now);
  await accounts.listDisabledIds();
  await accounts.enable(account, now);
  await accounts.listAfter('', LIMIT);
  for (const filter of choices({ emailPrefix: 'a', plans: ['free', null], isDisabled: true }))
    await accounts.listAfter('', LIMIT, filter);
  for (const isOperator of [true, false]) await accounts.setOperator(account, isOperator, now);
  await accounts.isOperator(account);
  await accounts.findSummary(account);
  await accounts.listIdsAfter(undefined, LIMIT);
  await accounts.listIdsAfter(owner._id, LIMIT);
  await accounts.defaultDeviceOf(account);
  await accounts.findSendingAccount(account);
  await accounts.setDefaultDeviceIfNone(account, device, now);
  await accounts.setDefaultDevice(account, device, now);
  await accounts.replaceDefaultDevice(account, device, pick(devices, 1)._id, now);
  await accounts.unsetDefaultDevice(account, device, now);
  await accounts.acquireRegistrationLease(account, device, later(now), now);
  await accounts.releaseRegistrationLease(account, device);

  const tokens = service.get(DeviceTokensRepository);
  await tokens.replace(account, device, 'hash of a device token', now);
  await tokens.findByHash('hash of a device token');
  await tokens.findOfDevice(device);
  await tokens.findWithout([device]);
  await tokens.remove(account, device);
  await tokens.removeAll(account);

  const keys = service.get(ApiKeysRepository);
  await keys.findActiveByHash(key.hash);
  await keys.findInactive([key._id]);
  await keys.countActive(account);
  await keys.upsert(account, { hash: 'hash of a new key', start: 'mgw_abcd' }, 'Test', now);
  await keys.insert(Object.assign(newKey(owner._id, now), { slot: 0 }));
  await keys.listSlots(account);
  await keys.freeSlots(account, now);
  for (const status of ['active', 'revoked', 'all'] as const) await keys.list(account, status, LIMIT);
  await keys.bind(account, key._id, device, now);
  await keys.listBoundDevices(account);
  await keys.hasRevokedOfDevice(account, device);
  await keys.revokeOfDevice(account, device, now);
  await keys.find(account, key._id);
  await keys.rename(account, key._id, 'Test');
  await keys.touch(key._id, now, '127.0.0.1', earlier(now));
  await keys.removeRevoked(account, revoked._id);
  await keys.revoke(account, key._id, now);
  await keys.revokeAll(account, now);
  await keys.remove(account, key.hash);

  const sessions = service.get(SessionsRepository);
  await sessions.create(
    Object.assign({}, session, { _id: new Types.ObjectId(), hash: 'hash of a new session' }),
  );
  await sessions.findByHash(session.hash);
  await sessions.findByIds([session._id]);
  await sessions.list(account, 0, now, LIMIT);
  await sessions.find(account, session._id);
  await sessions.touch(session._id, now, session.lastUsedFrom);
  for (const limit of [100, 1]) await sessions.removeAllButNewest(account, limit);
  await sessions.remove(account, session._id);

  const actions = service.get(OperatorActionsRepository);
  const action = { at: now, operator: owner._id, action: 'enable', account: owner._id } as const;
  await actions.record(Object.assign({ _id: new Types.ObjectId() }, action));
  await actions.list(LIMIT);

  const links = service.get(SignInLinksRepository);
  await links.create({ _id: 'hash of a link', user: owner._id, generation: 0, expiresAt: later(now) });
  await links.redeem('hash of a link');

  const pairing = service.get(PairingCodesRepository);
  const pairingCode = {
    _id: new Types.ObjectId(),
    user: owner._id,
    hash: 'hash of a pairing code',
    generation: 0,
  };
  await pairing.insert(Object.assign({ createdAt: now, expiresAt: later(now) }, pairingCode));
  await pairing.find(account, pairingCode._id);
  await pairing.redeem(pairingCode.hash, { redeemedAt: now, fingerprint: 'body', device });
  await pairing.findRedeemed(pairingCode.hash, 'body', earlier(now));
  for (const limit of [20, 1]) await pairing.removeAllButNewest(account, limit);

  const codes = service.get(OneTimeCodesRepository);
  const code = { seed: 'seed', hash: 'hash', email: owner.email, expiresAt: later(now) };
  await codes.replace(account, 'reset-password', code, null);
  const found = await codes.find(account, 'reset-password');
  if (!found) throw new Error('There is a code');
  await codes.replace(account, 'reset-password', code, found);
  await codes.add(account, 'reset-password', code, found);
  await codes.countTry(account, 'reset-password', 3, now);
  await codes.consume(account, 'reset-password', code.email, code.hash, now);
}

async function callMaintenance(service: AssembledService, { owner, devices, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const totals = service.get(TotalsRepository);
  await totals.findSums(account);
  await totals.listOfDevices(account, idsOf(devices, 1));
  await totals.countSince(account, earlier(now));
  await totals.countSince(account, earlier(now), idsOf(devices, 1));
  await totals.countAll(account, earlier(now), now);
  await totals.listActive([owner._id], earlier(now), now);
  const stored = await totals.find(account);
  const lastPeriod = [{ device: pick(devices, 0)._id, kind: 'sent' as const, hour: now, count: 1 }];
  await totals.closePeriod(stored, now, lastPeriod);
  await totals.addLastPeriod(Object.assign({}, stored, { through: later(now), lastPeriod }));
  await totals.listDays(owner._id, earlier(now), now);
}

async function callErasure(service: AssembledService, { now }: Stored): Promise<void> {
  const nobody = accountScope(new Types.ObjectId());
  const erasure = service.get(ErasureRepository);
  await erasure.start(nobody, now);
  await erasure.list();
  await erasure.listBatch(nobody, 'sessions');
  await erasure.listBatch(nobody, 'totals');
  await erasure.listBatch(nobody, 'daycounts');
  await erasure.listBatch(nobody, 'simusages');
  await erasure.listBatch(nobody, 'accountnotices');
  await erasure.listBatch(nobody, 'looptests');
  await erasure.listBatch(nobody, 'suppressions');
  await erasure.listBatch(nobody, 'consents');
  await erasure.listBatch(nobody, 'contacts');
  await erasure.listBatch(nobody, 'lists');
  await erasure.listBatch(nobody, 'devicetokens');
  await erasure.removeBatch(nobody, 'sessions', [{ _id: new Types.ObjectId() }]);
  await erasure.removeUsage(nobody);
  await erasure.removeAccount(nobody.user);
}

async function callBilling(service: AssembledService, { owner, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const period = periodOf(now);
  const batch = new Types.ObjectId();
  const charges = [{ day: period.day, count: 1 }];

  const plans = service.get(PlansRepository);
  await plans.seed(SEEDED_PLANS);
  await plans.list();
  await plans.update('free', { dailyLimit: 50 });

  const usages = service.get(UsageRepository);
  await usages.create(account, period);
  await usages.findOfAccounts([owner._id]);
  for (const dailyLimit of [50, UNLIMITED]) {
    for (const monthlyLimit of [300, UNLIMITED]) {
      const plan = { _id: 'test', displayName: 'Test', dailyLimit, monthlyLimit, bulkSendLimit: 50 };
      await usages.reserve({ user: account.user, batch, charges, plan, period });
      await usages.move(
        account,
        new Types.ObjectId(),
        { from: charges, to: { day: period.day, count: 1 } },
        plan,
        period,
      );
    }
  }
  usages.confirm(account, batch);
  await usages.increment(account, period);
  await usages.refund(account, batch, charges);
  await usages.release(account, batch, charges);
  await usages.find(account);
}

async function callDevices(service: AssembledService, { owner, devices, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const device = pick(devices, 0);
  const { _id: id, fcmToken = '' } = device;

  const repository = service.get(DevicesRepository);
  await repository.countOfAccounts([account.user]);
  await repository.list(account);
  await repository.listReportedSims(account);
  await repository.find(account, id);
  await repository.findMany(account, [id]);
  await repository.findExisting(account, [id]);
  await repository.findLabels(account, [id]);
  await repository.findForMessages(account);
  await repository.findForMessages(account, [id]);
  await repository.listSimCountries(account);
  await repository.listEnabledByHeartbeat(account);
  await repository.insert(newDevice(owner._id, now));
  await repository.update(account, id, { set: { brand: 'google' }, unset: ['name'] }, now);
  for (const by of ['owner', 'phone'] as const) await repository.setEnabled(account, id, by, true, now);
  await repository.markAllDeleted(accountScope(new Types.ObjectId()), now);
  await repository.setInferredOsVersion(account, id, {
    osVersion: '14',
    osVersionSource: 'buildId',
  });
  await repository.releaseToken(account, fcmToken, {}, now);
  await repository.releaseToken(account, fcmToken, { keeper: id, serial: 'S' }, now);
  await repository.isTokenHeldByOther(fcmToken, id);
  await repository.isSerialHeldByOther(account, 'S', id);
  await repository.setTokenMissing(account, device, false, now);
  await repository.removeRejectedToken(account, id, fcmToken, now);
  await repository.setTokenMissing(account, { _id: id }, true, now);
  await repository.drawPace(id, 1, now, { isWave: false });
  await repository.bookPace(id, 1, now);
  await repository.recordIgnoredSms(account, id, new Date(0), now);
  await repository.count(account);
  await repository.listDeletedWithMessages(account);
  await repository.listHeartbeatCheckDue(later(now), LIMIT);
  await repository.countByLastHeartbeat({ after: new Date(0), upTo: now }, LIMIT);
  await repository.countWithoutHeartbeat(LIMIT);
  await repository.countByConnection('offline', LIMIT);
  await repository.rescheduleHeartbeatCheck(device, later(now));
  await repository.findStates([id]);
  await repository.listUnfinishedDue(now, LIMIT);
  for (const found of await repository.list(account)) await repository.setUnfinishedDue(found, now);

  for (const isDraining of [true, false]) await repository.setDraining(account, id, isDraining, now);
  await service.get(DrainRepository).count(account, id);
  await service.get(DrainRepository).countByDevice(account, idsOf(devices, 2));
  const queue = service.get(SendQueueRepository);
  await service.get(CheckupRepository).listRecent(account, id, EVER, LIMIT);
  await queue.list(account, LIMIT);
  await queue.countByDevice(account, LIMIT);
  await queue.countUnanswered(account, idsOf(devices, 2), LIMIT);
  await repository.markDeleted(account, pick(devices, 1)._id, now, { deletesMessages: true, replacedBy: id });

  const connections = service.get(ConnectionsRepository);
  await connections.find([id]);
  await connections.record([{ id, changes: { latest: { lastContactAt: now }, checkAt: now } }]);
  const stream = new Types.ObjectId();
  await connections.openStream(device, { id: stream, openedAt: now }, true);
  await connections.recordUntaken([{ device: id, claimedAt: now }], later(now));
  await connections.listReopened([{ device: id, claimedAt: now }]);
  await connections.confirmStreams([{ deviceId: id, recordId: stream }], now);
  await connections.closeStream(device, stream, now, later(now));
  await connections.isCheckDue(now);
  const [due] = await connections.claimCheckDue(later(now), later(later(now)), 10_000);
  if (!due) throw new Error('A connection is to be checked');
  const event = connectionEvent('DEVICE_OFFLINE', device, { state: 'offline', since: now }, 0, now);
  await connections.endCheck(due, {
    nextCheckAt: later(now),
    unansweredSince: now,
    announcedState: 'offline',
    event,
  });
  await callOutbox(service.get(DeviceOutbox), device, event, now);
}

async function callPools(service: AssembledService, { owner, pools, sims, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const pool = pick(pools, 0);
  const { _id: id } = pool;
  const [from, into] = [pick(sims, 0)._id, pick(sims, 1)._id];

  const repository = service.get(PoolsRepository);
  await repository.list(account);
  await repository.find(account, id);
  await repository.count(account);
  await repository.insert({ ...pool, _id: new Types.ObjectId(), name: 'Another' });
  await repository.addTurns(account, id, 1);
  await repository.replaceSim(account, from, into);
  await repository.removeSims(account, [into], now);
  await repository.update(pool, { ...pool, name: 'Renamed', updatedAt: later(now) });
  await repository.remove(account, id);

  const messages = service.get(PoolMessagesRepository);
  await messages.countWaiting(account, id, LIMIT);
  await messages.findPreviousSims(account, [from, into], ['+447700900001'], new Date(0));
  await messages.findPreviousSims(account, [from, into], ['+447700900001', '+447700900002'], new Date(0));

  const accounts = service.get(AccountsRepository);
  await accounts.setDefaultPool(account, id, now);
  await accounts.unsetDefaultPool(account, id, now);
}

async function callSims(service: AssembledService, { owner, sims, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const sim = pick(sims, 0);
  const { _id: id, device = id, key } = sim;

  const repository = service.get(SimsRepository);
  await repository.listPresent(account, device);
  await repository.list(account);
  await repository.findPresent([device]);
  await repository.findNotable([device]);
  await repository.listByKeys(account, [key]);
  await repository.find(account, id);
  await repository.findMany(account, [id]);
  await repository.findBySubscription(account, device, 1);
  await repository.insert(newSim(owner._id, device, now));
  await repository.storeReport(account, id, { carrierName: 'Test' }, now);
  await repository.markAbsent(account, device, [id], now);
  await repository.update(account, id, { set: { label: 'Test' }, unset: ['phoneNumber'] }, now);
  await repository.markForReview([id], now);
  const reached = { limit: 'messagesPerDay', value: 1, resetsAt: later(now) } as const;
  await repository.raiseLimitReached(sim, reached, now);
  const event = simEvent('SIM_LIMIT_REACHED', sim, { ...reached, resetsAt: later(now).toISOString() }, now);
  await callOutbox(service.get(SimOutbox), sim, event, now);
  const events = { outbox: [event], limitsReached: { messagesPerDay: now } };
  await repository.moveEvents(account, pick(sims, 1)._id, events, now);
  for (const due of await repository.listReviewDue(later(now), LIMIT)) await repository.finishReview(due);
  await repository.detach(account, [id], now);
  await repository.remove(account, [id]);

  const into = pick(sims, 1)._id;
  const timelines = service.get(TimelinesRepository);
  for (const holder of [{ device }, { device, sim: id }]) {
    await timelines.reserve(account, holder, HOUR, now);
    await timelines.release(account, holder, now, HOUR);
  }

  const healths = service.get(SimHealthRepository);
  await healths.change(await healths.listDue(now, LIMIT), (health) => ({ ...health }), now);
  await healths.change([into], (health) => ({ ...health }), now);
  await healths.find(into);
  await healths.listOpenBreakers(LIMIT);

  const usages = service.get(SimUsageRepository);
  const unchanged = (usage: SimUsage) => ({ usage: { ...usage }, result: undefined });
  await Promise.all([usages.change(account, id, unchanged), usages.change(account, into, unchanged)]);
  await usages.find(account, [id]);
  await usages.merge(account, into, id, now);
  await usages.listDue(now, LIMIT);
  await usages.remove(account, [id]);

  const waiting = service.get(WaitingMessagesRepository);
  const { user } = account;
  const owned = { _id: id, user };
  const read = [
    { ...owned, device: id },
    { ...owned, device: id, pool: id },
  ];
  await waiting.hold([{ id, reason: 'sim_absent', retryAt: now }], read, now);
  await waiting.makeDue(owned, now);
  await waiting.makeDueForPhones([owned], now, LIMIT);
  await waiting.makeDueForFetch(owned, now, LIMIT);
  await waiting.findOldestWaitingForPhone(owned);
  await waiting.listWaitedFor([owned], LIMIT);
  await waiting.countWaitingForPhone(owned, LIMIT);
  await waiting.listDueWaves(owned, now, LIMIT);
  await waiting.countByReason(LIMIT);
  await waiting.findClaimed(account, [id], id);
  await waiting.fail(read, 'DEVICE_DISABLED', now);
  const moves = service.get(MessageMovesRepository);
  await moves.listWaiting(account, id, { _id: into }, undefined, LIMIT);
  await moves.listWaiting(account, id, { _id: into }, { _id: id, nextDispatchAt: now }, LIMIT);
  await moves.findStates(account, [id]);
  await moves.move(account, { ids: [id], from: id, to: { _id: into }, leavesPool: false }, now);
  await moves.move(account, { ids: [id], to: { _id: into }, leavesPool: true }, now);
}

async function callMessageLists(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, devices, batches, messages, now } = stored;
  const account = accountScope(owner._id);
  const { _id: id, createdAt } = pick(messages, Math.floor(messages.length / 2));
  const list = service.get(MessageListRepository);
  const filters: MessageFilter[] = choices({
    time: { from: EVER, to: now },
    search: '0151 12345',
    direction: 'sent' as const,
    status: 'delivered' as const,
    smsBatch: pick(batches, 1)._id,
    devices: idsOf(devices, 1),
  }).map(({ time, ...filter }) => ({ ...filter, ...time }));
  const several = { devices: idsOf(devices) };
  const number = '015112345678';
  const countries = ['DE', 'GB'] as const;
  const others: MessageFilter[] = [
    { from: EVER },
    { to: now },
    several,
    { status: 'unknown' },
    ...[
      { recipient: number, countries },
      { sender: number, countries },
      { peerNumber: number, countries },
      { peerNumber: '+4915112345678' },
    ].flatMap((one) => [one, { ...one, ...several }]),
  ];
  for (const filter of [...filters, ...others]) {
    await list.count(account, filter);
    for (const order of ORDERS) {
      for (const start of [{ page: 2 }, { after: { createdAt, id } }]) {
        await list.list(account, filter, { start, order, pageSize: LIMIT }, LIMIT);
      }
    }
  }
  await list.readLarge(account, [id]);
  await list.hasBatch(account, pick(batches, 1)._id);
}

async function callMessages(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, messages, now } = stored;
  const account = accountScope(owner._id);
  const repository = service.get(MessagesRepository);
  const sent = messages.filter(({ direction }) => direction === 'sent');
  const { _id: id, device, smsBatch = id } = pick(sent, 1);
  const received = Object.assign(newMessage(owner._id, device, now), { fingerprint: 'the same upload' });
  await repository.insert([newMessage(owner._id, device, now)]);
  await repository.insertReceived(account, received);
  await repository.insertReceived(account, received);
  const uploadedLate = { fingerprint: 'the same late upload', createdAt: EVER, originalCreatedAt: now };
  const late = Object.assign(newMessage(owner._id, device, now), uploadedLate);
  for (let upload = 1; upload <= 2; upload++) await repository.insertReceived(account, late);
  await repository.find(account, id, device);
  await repository.find(account, id);
  await repository.listByBatch(account, smsBatch, undefined, LIMIT);
  await repository.listByBatch(account, smsBatch, { _id: id, wave: 0 }, LIMIT);
  await repository.listByBatch(account, smsBatch, { _id: id }, LIMIT);
  await repository.removeOfBatch({ _id: new Types.ObjectId(), user: owner._id });
  const redeliveries = service.get(MessageRedeliveryRepository);
  await redeliveries.acknowledge(account, device, idsOf(sent), now);
  const window = { now, handedOverAfter: EVER, after: earlier(now), latest: later(now) };
  await redeliveries.listRedeliverable(account, device, window, LIMIT);
  await redeliveries.listRedeliverable(account, device, window, LIMIT, [id]);
  await redeliveries.countRedeliverable(account, device, window);
  const phones = [...new Set(messages.map((message) => message.device))];
  await redeliveries.listUnacknowledgedDevices(
    phones.map((phone) => ({ _id: phone, user: owner._id })),
    window,
    LIMIT,
  );
  await repository.listPendingBatches(account);
  await repository.countReceivedEqual(account, {
    device,
    sender: '+447700900123',
    message: 'Hello',
    since: earlier(now),
    until: now,
  });
  await redeliveries.listCancelRequested(account, device, window, LIMIT);

  const reports = sent.slice(0, 4).map(({ _id, device: phone }, index) => {
    const report = parseReport({ status: ['SENT', 'DELIVERED', 'FAILED', 'ODD'][index] ?? '' }, now);
    return { user: owner._id, device: phone, id: _id, report, now, cause: {} };
  });
  await service.get(ReportsRepository).apply(reports);
  await service.get(SimOutcomesRepository).findReported(sent);
  const ofPool = Object.assign({}, pick(sent, 0), { pool: id, smsBatch, wave: 0 });
  const attempt = { user: owner._id, id: ofPool._id, now, cause: {} };
  for (const [phone, status] of [
    [ofPool.device, 'FAILED'],
    [new Types.ObjectId(), 'SENT'],
  ] as const) {
    const report = parseReport({ status, errorCode: '4' }, now);
    await service.get(AttemptReportsRepository).apply({ ...attempt, device: phone, report }, ofPool);
  }

  const entry = { event: 'MESSAGE_SENT' as const, at: now };
  await callOutbox(service.get(OutboxRepository), { _id: id, user: owner._id }, entry, now);
}

async function callOutbox<Document extends OwnedId, Entry>(
  outbox: Outbox<Document, Entry>,
  id: OwnedId,
  entry: Entry,
  now: Date,
): Promise<void> {
  await outbox.isOverdue(now);
  await outbox.findOldestDueTime(now);
  await outbox.claim(now, later(now), LIMIT);
  await outbox.claim(now, later(now), LIMIT, { from: EVER, known: 1 });
  await outbox.listIsolated(now, LIMIT);
  await outbox.claimIsolated(id, now, now, now);
  await outbox.findBounded(id);
  await outbox.retryIsolated(id, now);
  await outbox.retryUncounted(id, now);
  await outbox.setAside(id, now, now);
  await outbox.retrySetAside(now);
  await outbox.listSetAside(now, LIMIT);
  await outbox.countSetAside(now, LIMIT);
  const relayed = [{ document: id, entries: [entry] }];
  await outbox.removeEntriesPartially(relayed);
  await outbox.removeEntries(relayed, now);
}

async function callDispatch(service: AssembledService, { messages, now }: Stored): Promise<void> {
  const waves = service.get(WavesRepository);
  const claims = service.get(PushClaimsRepository);
  const outcomes = service.get(DispatchOutcomesRepository);
  const pending = messages.filter(({ status }) => status === 'pending');
  const [{ _id: id, user, smsBatch: batch = id, wave = 0 }, ids] = [pick(pending, 0), idsOf(pending)];
  const account = accountScope(user);
  await waves.listDue({ user, batch, wave }, now);
  const group = { count: 2, firstWave: 0, waves: 2, planned: false };
  await waves.storeWaveTimes({ _id: batch, user }, { ...group, startAt: now, gapMs: 1 });
  await waves.findNextWave({ user, batch, wave: 0 }, group);
  await waves.listOverdueWaves(now, LIMIT);
  await waves.listOverdueMoves(now, LIMIT);
  await waves.findOldestDueTime(now);
  const { device } = pick(pending, 0);
  const claimed = pending.map((message) => ({
    id: message._id,
    user,
    device: message.device,
    dispatchAttempts: message.dispatchAttempts ?? 0,
  }));
  const moved = claimed.map((each) => ({ ...each, movedFrom: { device: new Types.ObjectId(), at: now } }));
  await claims.claim(moved, later(now), now);
  await claims.claim([...moved.slice(0, 1), ...claimed.slice(1)], later(now), now);
  await claims.claim(claimed, later(now), now);
  await claims.claim(claimed, later(now), now); // after a lost race it reads which were claimed
  const routed = ids.map((each, dispatchAttempts) => ({
    ...{ id: each, user, device, dispatchAttempts },
    route: {},
  }));
  await claims.claim(routed, later(now), now);
  await outcomes.releaseClaims(pending, now, now);
  await service.get(WaitingMessagesRepository).postpone(pending, now, now);
  await outcomes.endAttempts(pending, device, now, now, { outcome: 'refused', code: 'PUSH_REFUSED' });
  await outcomes.endAttempts(pending, device, now, now);
  await outcomes.fail([{ _id: id, user }], 'DEVICE_DISABLED', now);
  await outcomes.moveToDispatched(pending, now);
  await outcomes.endExpiredClaims(pending, earlier(now), now);
  await waves.removeOfBatch({ user, batch: new Types.ObjectId(), wave: 0 });

  const offers = service.get(OfferClaimsRepository);
  await offers.claim(claimed, now);
  await offers.claim(routed, now);
  await offers.listOffered(account, ids);
  await offers.take(account, device, id, ids, now);
  await offers.park([{ user, claim: id, ids, claimedAt: now, retryAt: later(now) }], now);
  await offers.listEnded([{ user, ids }]);

  const unconfirmed = service.get(UnconfirmedMessagesRepository);
  await unconfirmed.listUnreported(now, LIMIT);
  await unconfirmed.listUnreportedBy(account, pick(messages, 0).device, LIMIT);
  await unconfirmed.listUnacknowledged(account, pick(messages, 0).device, LIMIT);
  await unconfirmed.countUnacknowledged(account, pick(messages, 0).device, LIMIT);
  await unconfirmed.findOldestHandOver(account, pick(messages, 0).device, undefined);
  await unconfirmed.findOldestHandOver(account, pick(messages, 0).device, now);
  await unconfirmed.moveToUnknown(pending, 'NO_REPORT', now);
  await unconfirmed.endRedelivery(pending, now);
}

async function callCancellations(service: AssembledService, { messages, now }: Stored): Promise<void> {
  const repository = service.get(CancellationRepository);
  const { user, device, _id: id, smsBatch: batch = id } = pick(messages, 0);
  const account = accountScope(user);
  for (const target of [{ batch }, { batch, messages: [id] }]) {
    await repository.cancelUnclaimed(account, target, id, now);
    await repository.listUnclaimed(account, target);
    await repository.cancelConfirmed(account, target, id, now);
    await repository.markCancelRequested(account, { ...target, device }, now);
    await repository.listCancelRequested(account, { ...target, device });
    await repository.summarize(account, [batch], target.messages, id);
    await repository.countCancelled(account, target);
  }
  await repository.listExpired(now, LIMIT);
  const waiting = { _id: id, user, smsBatch: batch };
  await repository.expire(account, [waiting, { ...waiting, validUntil: now }], id, now);
  await repository.suppress(account, [waiting], id, now);
  await repository.listConfirmable(account, device, [id]);
  await repository.findOutgoing(account, id);
}

async function callBatches(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, batches, now } = stored;
  const account = accountScope(owner._id);
  const repository = service.get(BatchesRepository);
  const batch = pick(batches, 2);
  const { _id: id, device, idempotencyKey = '', groups } = batch;
  await repository.insert(newBatch(owner._id, device, now, 0));
  await repository.findByIdempotencyKey(account, idempotencyKey);
  await repository.accept(batch, { groups }, now);
  await repository.listUnaccepted(now, LIMIT);
  const cancellations = service.get(BatchCancellationsRepository);
  await cancellations.start(account, device, id, id, now);
  await cancellations.startMany(account, [id], id, now);
  await cancellations.listOf(account, id);
  await cancellations.finishMany(account, [id], id);
  await cancellations.start(account, undefined, id, id, now);
  await cancellations.listUnfinished(now, LIMIT);
  await cancellations.finish(batch, id, { cancelledCount: 1, suppressedCount: 1, charges: [] });
  await repository.listDeclared(account, [id]);
  for (const checksConsent of [true, false]) await repository.setChecksConsent(account, [id], checksConsent);
  await repository.claimPlanning(batch, 0, now, earlier(now));
  await repository.storeStart(batch, 0, now, now);
  await repository.markPlanned(batch, 0, now);
  await cancellations.isRescheduling(account, id);
  await repository.addDevices(batch, [device]);
  await repository.addDevice(account, [id], device);
  await repository.find(account, device, id);
  await repository.findVisible(account, id);
  await repository.findOwner(id);
  await repository.findForDispatch(account, id);
  const dead = pick(
    batches.filter(({ acceptance }) => acceptance === 'accepting'),
    0,
  );
  await repository.recordGroups(dead, groups);
  await repository.abandon(dead, now);
  await repository.remove(dead);
}

async function callBatchResource(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, batches, devices, now } = stored;
  const account = accountScope(owner._id);
  const batch = pick(batches, 1);
  const { _id: id } = batch;

  const views = service.get(BatchViewsRepository);
  const filters: BatchFilter[] = choices({
    device: pick(devices, 0)._id,
    pool: id,
    state: 'paused' as const,
    minRecipients: 2,
    from: EVER,
    to: now,
  });
  for (const filter of [...filters, { state: 'scheduled' as const }]) {
    await views.list(account, filter, undefined, LIMIT, now);
    await views.list(account, filter, { createdAt: now, id }, LIMIT, now);
  }
  await views.tally(batch);

  const changes = service.get(BatchChangesRepository);
  for (const kind of ['resume', 'reschedule', 'pause'] as const)
    await changes.start(account, id, { id, kind, since: now });
  const changing = Object.assign({}, batch, { change: { id, kind: 'pause' as const, since: now } });
  await changes.listInterrupted(later(now), LIMIT);
  await changes.takeOver(changing, now);
  await changes.proceed(changing, 'restore', now);
  await changes.moveGroup(changing, 0, now);
  await changes.finish(changing);

  const paused = service.get(PausedMessagesRepository);
  const group = { count: 1, firstWave: 0, waves: 1, planned: true };
  await paused.hasLeft(batch);
  const ids = idsOf(stored.messages);
  for (const target of [{ batch }, { batch, ids }]) await paused.pause(target, later(now), now);
  await paused.findFirst(batch, group);
  await paused.setDueTime(batch, now, now);
  await paused.resumeInSlot(batch, group, now, now);
  await paused.listPastDue(batch, now);
  await paused.resumeEvenly(
    batch,
    { device: batch.device, count: 1, firstWave: 0, lastWave: 0 },
    now,
    0,
    now,
  );
  await paused.resumeRest(batch, now);
}

async function callConversations(
  service: AssembledService,
  { owner, devices, batches, messages, now }: Stored,
): Promise<void> {
  const account = accountScope(owner._id);
  const number = '+4915112345678';
  const known = idsOf(devices);
  const head = { lastMessage: new Types.ObjectId(), lastMessageAt: now, device: pick(known, 0) };

  const conversations = service.get(ConversationsRepository);
  const found = await conversations.find(account, number);
  await conversations.findMany(account, [{ _id: head.lastMessage }]);
  const filters = choices({ unread: true, unanswered: true, devices: idsOf(devices, 1), search: '0151' });
  for (const filter of [...filters, { devices: known }])
    for (const after of [undefined, { createdAt: now, id: new Types.ObjectId() }])
      await conversations.list(account, filter, after, LIMIT);
  for (const each of [number, '+4915112345679'])
    await conversations.merge([{ user: owner._id, number: each, head }], {
      now,
      createdDueAt: later(now),
      maxTimeMs: HOUR,
    });
  await conversations.markRead(account, number, { id: head.lastMessage, storedAt: now }, now);
  for (const note of ['Note', '']) await conversations.setNote(account, number, note, now);
  await conversations.removeNote(account, number, 'Note', now);
  await conversations.list(account, { search: '0151', numbers: [number] }, undefined, LIMIT);
  await conversations.markDue(account, [number], now);
  await conversations.claimDue(now, later(now), LIMIT);
  await conversations.finishDue([{ _id: new Types.ObjectId(), user: owner._id }], later(now));
  await conversations.listBefore(account, { createdAt: now, id: new Types.ObjectId() }, LIMIT);
  await conversations.listOfDevices(account, known, LIMIT);
  await conversations.replace(account, number, found, head, now);
  await conversations.replace(account, '+4915112345680', null, head, now);
  await conversations.replace(account, number, found, undefined, now);

  const conversationMessages = service.get(ConversationMessagesRepository);
  for (const shown of [undefined, idsOf(devices, 1)]) {
    await conversationMessages.findHead(account, number, shown);
    await conversationMessages.findReceivedLast(account, number, shown);
    await conversationMessages.readLast(account, idsOf(messages), shown);
    if (!found) continue;
    await conversationMessages.countUnread(found, shown);
    await conversationMessages.countUnread(Object.assign(found, { readThroughAt: now }), shown);
  }
  await conversationMessages.findReceived(account, number, pick(messages, 0)._id);
  await conversationMessages.listPending({ messages: messages.slice(0, 20), batches: batches.slice(0, 20) });
  await conversationMessages.claimDue(now, later(now), LIMIT);
  await conversationMessages.finish({ messages: messages.slice(0, 1), batches: batches.slice(0, 1) });
}

async function callViews(service: AssembledService, { owner, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const views = service.get(ViewsRepository);
  const view = { _id: new Types.ObjectId(), user: owner._id, name: 'All', query: '', slot: 9 };
  await views.list(account);
  await views.insert({ ...view, createdAt: now, updatedAt: now });
  await views.update(account, view._id, { name: 'Every' }, now);
  await views.remove(account, view._id);
}

async function callMessageRetention(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, devices, batches, messages, now } = stored;
  const account = accountScope(owner._id);
  const counts = service.get(MessagesRepository);
  await counts.countPending(LIMIT);
  await counts.countDispatched(LIMIT);

  const { _id: batch } = pick(batches, 3);
  const deletion = service.get(MessageDeletionRepository);
  await deletion.find(account, pick(messages, 0)._id);
  await deletion.hasUnsettled(account, pick(devices, 0)._id);
  await deletion.erase(account, pick(messages, 0)._id, now);
  await deletion.eraseOfDevice(account, pick(devices, 3)._id, now, () => Promise.resolve());
  for (const except of [undefined, '+4915112345678'])
    await deletion.listRecipients(account, batch, 3, except);
  await deletion.hasUnsettledWith(account, '+4915112345678');
  await deletion.listWith(account, '+4915112345678', LIMIT);
  await deletion.eraseMany(account, [pick(messages, 1)._id], now);
  const shown = (await deletion.findRecipientPreview(account, batch)) ?? '';
  await deletion.replaceRecipientPreview(account, batch, shown, '+4915112345678');
  await deletion.eraseBatch(account, pick(batches, 5)._id, now);

  const retention = service.get(MessageRetentionRepository);
  // Only a few of the messages, because the plans depend on how many there are.
  const old = new Date(now.getTime() - 5_800 * 60_000);
  const limits = { settledBefore: old, redeliveredBefore: old, countedBefore: now };
  const removals = (['creation', 'deletion'] as const).map((by) => ({ by, before: old, ...limits }));
  const before = new Date(old.getTime() - HOUR);
  const after = Object.assign({}, pick(batches, 3), { createdAt: before, hiddenAt: before });
  for (const removal of removals) {
    await retention.listBatches(account, removal);
    await retention.listBatches(account, removal, after);
    await retention.listRemovable(account, [batch], removal);
    await retention.removeMessagesOf(account, [batch], removal);
  }
  await retention.hideBatches(account, [batch], now);
  await retention.removeEmpty(account, [batch]);
  for (const removal of removals) await retention.removeUnbatched(account, removal);
}

async function callConsent(service: AssembledService, { owner, messages, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const numberKey = keyOfNumber(1);
  const after = { createdAt: now, id: owner._id };
  const suppressions = service.get(SuppressionsRepository);
  const said = { numberKey, number: '+4915112345678', covers: 'undeclared', at: now, source: 'api' } as const;
  await suppressions.findOfNumbers(account, [numberKey, keyOfNumber(2)]);
  for (const topic of ['', 'offers']) {
    await suppressions.hold(account, { ...said, topic, state: 'held' });
    await suppressions.block(account, { ...said, topic, state: 'out' });
  }
  await suppressions.lift(account, { ...said, at: later(now), state: 'lifted' });
  await suppressions.liftOlder(account, numberKey);
  for (const numberKeys of [undefined, [numberKey]])
    for (const state of [undefined, 'out', 'held'] as const)
      for (const position of [undefined, after])
        await suppressions.list(account, { numberKeys, state }, position, LIMIT, now);
  await suppressions.find(account, owner._id);
  await suppressions.liftOne(account, owner._id, { at: now, source: 'api', reason: 'Asked' });

  const records = service.get(ConsentRecordsRepository);
  const record = {
    numberKey,
    number: '+4915112345678',
    topic: '',
    state: 'out',
    at: now,
    source: 'api',
  } as const;
  await records.add(account, record);
  await records.add(account, { ...record, uploadKey: 'device fingerprint' });
  for (const numberKeys of [undefined, [numberKey]])
    for (const position of [undefined, after]) await records.list(account, numberKeys, position, LIMIT);
  for (const topic of [undefined, 'offers']) await records.findDecisive(account, numberKey, topic, now);

  const replies = service.get(AutoRepliesRepository);
  const reply = await replies.request(
    account,
    {
      ...{ numberKey, number: '+4915112345678', kind: 'confirmation', text: 'Bye', device: owner._id },
      requestedAt: now,
      relayDueAt: now,
    },
    now,
  );
  await replies.claimDue(now, later(now));
  if (reply) await replies.finish(reply, { batch: owner._id });
  await replies.listConfirmations(account, [numberKey]);

  const secrets = service.get(InstallationSecretsRepository);
  await secrets.create({ _id: 'test', secret: 'encrypted' });
  await secrets.find('test');
  await secrets.list();
  await secrets.replace({ _id: 'test', secret: 'encrypted' }, 'encrypted again');

  const suppressed = service.get(SuppressedMessagesRepository);
  const { peerNumber, _id, smsBatch = _id, createdAt } = pick(messages, 1);
  for (const page of [undefined, { _id, smsBatch, createdAt }])
    await suppressed.listPending(account, peerNumber, page, LIMIT);
  await suppressed.listLastBatches(account, peerNumber, LIMIT);
  await suppressed.listHandedOver(account, peerNumber, LIMIT);
  const texts = service.get(ReceivedTextsRepository);
  for (const after of ['', peerNumber]) await texts.listBySender(account, after, LIMIT);
  await texts.listLatest(account, peerNumber, LIMIT);
}

async function callContacts(service: AssembledService, { owner, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const contacts = service.get(ContactsRepository);
  const pages = service.get(ContactPagesRepository);
  const { number } = contactNumber(3);
  const [contact] = await contacts.findByNumbers(account, [number]);
  const [other] = await contacts.findByNumbers(account, [contactNumber(6).number]);
  if (!contact || !other) throw new Error('They are stored');
  const { _id: id } = contact;
  await contacts.find(account, id);
  await contacts.findAny(account, id);
  await contacts.findMany(account, [id]);
  await contacts.findNames(account, [number]);
  const added = { ...contentOf(contact), numbers: [contactNumber(1_000_001)] };
  await contacts.insert(newContact(account, added, now));
  await contacts.insertMany([newContact(account, added, now)]);
  await contacts.replace(contact, contact, now);
  await contacts.merge(contact, other, contact, now);
  await contacts.removeMerged(account, other._id);
  await contacts.listHidden(account, LIMIT);
  await contacts.listUsersWithHidden([owner._id]);

  const after = { sortKey: 'person', _id: id };
  const conditions: ContactCondition[] = [
    {},
    { words: [['person']] },
    { words: [['person'], ['01', '1']], list: CONTACT_LIST },
    { peerNumbers: [number, '1'] },
    { tagKeys: ['tag 1'] },
    { fieldKeys: ['city=city 1'] },
    { list: CONTACT_LIST },
    { list: CONTACT_LIST, tagKeys: ['tag 1'] },
  ];
  for (const condition of conditions) {
    for (const position of [undefined, after]) await pages.list(account, condition, position, LIMIT);
    await pages.count(account, condition, LIMIT);
    if (!condition.words && !condition.peerNumbers) await pages.listRecipients(account, condition, LIMIT);
    if (condition.words) await pages.searchNumbers(account, condition, LIMIT);
  }

  const lists = service.get(ContactListsRepository);
  const list = pick(await lists.list(account), 0);
  await lists.find(account, list._id);
  await lists.insert(Object.assign({}, list, { _id: new Types.ObjectId(), nameKey: 'other', slot: 1 }));
  await lists.update(account, list._id, { name: 'All' }, now);
  await lists.hide(account, list._id, now);
  await lists.listUsersWithHidden([owner._id]);
  await lists.removeHidden(account, list._id);

  const members = service.get(ListMembersRepository);
  await members.findKnown(account, [id]);
  await members.add(account, list._id, [id], now);
  await members.remove(account, list._id, [id], now);
  await members.removeSome(account, list._id, now);
  await contacts.remove(account, id);
  await service.get(ConsentErasureRepository).erase(account, keyOfNumber(1));
}

async function callNotices(service: AssembledService, { owner, now }: Stored): Promise<void> {
  const account = accountScope(owner._id);
  const notices = service.get(NoticesRepository);
  const notice = { topic: 'webhookPaused', state: 'now', at: now, name: 'Orders' } as const;
  await notices.record([{ _id: 'webhook:1', user: owner._id, ...notice }]);
  await notices.listDueAccounts(now, LIMIT);
  await notices.listDue(account, now, LIMIT);
  await notices.postpone(account, now, later(now));
  await notices.reconsider(account, now);
  await notices.postponeEach([{ _id: 'webhook:1', at: now, until: later(now) }]);
  await notices.markTold([{ notice: 'webhook:1', state: 'now', at: now }]);

  const mails = service.get(AccountNoticesRepository);
  const id = new Types.ObjectId();
  await mails.setSettings(account, DEFAULT_NOTICE_SETTINGS);
  const outgoing = { id, subject: 'Test', text: 'Test', composedAt: now, attempts: 0 };
  await mails.store(account, outgoing, { read: undefined, next: { day: '2026-01-31', count: 1 } }, now);
  await mails.find(account);
  await mails.claimDue(now, later(now), LIMIT);
  await mails.setNoted(account, id);
  await mails.retry(account, id, 1, later(now));
  await mails.end(account, id, { at: now, result: 'sent' });
}

async function callLoopTests(
  service: AssembledService,
  { owner, devices, batches, now }: Stored,
): Promise<void> {
  const account = accountScope(owner._id);
  const tests = service.get(LoopTestsRepository);
  const run = { id: new Types.ObjectId(), startedAt: now, legs: [] };
  await tests.setUp(account, { sims: [], nightlyHour: 3 });
  await tests.setUp(account, { sims: [], nightlyHour: 3, nextRunAt: now });
  const test = await tests.find(account);
  if (!test) throw new Error('There is a loop test');
  await tests.listNightlyDue(now, LIMIT);
  await tests.startNightly(test, later(now), undefined);
  await tests.startNightly(Object.assign({}, test, { nextRunAt: later(now) }), later(now), run);
  await tests.start(account, run);
  await tests.claimCheckDue(now, later(now), LIMIT);
  await tests.store(owner._id, run, []);
  await tests.store(owner._id, run, [], now);

  const messages = service.get(LoopMessagesRepository);
  await messages.markSent(account, pick(batches, 0)._id);
  await messages.findArrival(account, pick(devices, 0)._id, earlier(now), '');
}

async function callSubscriptions(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, subscriptions, deliveries, now } = stored;
  const account = accountScope(owner._id);
  const subscription = pick(subscriptions, 0);
  const { _id: id } = subscription;

  const repository = service.get(WebhookSubscriptionsRepository);
  await repository.removeAll(accountScope(new Types.ObjectId()), new Date());
  await repository.list(account);
  await repository.find(account, id);
  await repository.findIncludingDeleted(account, id);
  await repository.listLabels(account, LIMIT);
  await repository.insert(newSubscription(owner._id, 5, now, 0));
  await repository.update(account, id, { name: 'Test' }, now);
  await repository.listSubscribers([owner._id], new Date());
  await repository.listWithSecret(undefined, LIMIT);
  await repository.listWithSecret(id, LIMIT);
  await repository.replaceSecrets(subscription, subscription);

  const leases = service.get(RunnerLeasesRepository);
  const runner = new Types.ObjectId();
  await leases.acquire(id, runner, now, later(now));
  const outcome = { kind: 'delivered' as const };
  const attempt = {
    id: runner,
    delivery: pick(deliveries, 0),
    deliveryUrl: subscription.deliveryUrl,
    at: now,
    endedAt: now,
    durationMs: 1,
    outcome,
  };
  await leases.renew(id, runner, later(now), attemptSummary([updateAfterAttempt(attempt, 0)]));
  await leases.storeSummary(id, attemptSummary([]));
  await leases.readSubscriptions([id]);
  await leases.takeNotifications([id], [runner]);
  await leases.release(id, runner, attemptSummary([]));
  await leases.release(id, runner, attemptSummary([])); // an expired lease
  await leases.notifyHolder(id, now);

  const totals = service.get(SubscriptionTotalsRepository);
  await totals.list(account);
  await totals.readCounters([subscription._id]);
  await totals.sumOpen(subscription);
  await totals.sumOpen(subscription, later(now));
  await totals.removeCounted(account, new Date(now.getTime() - 3_900 * 60_000), later(now));
  await totals.advance(subscription, now, { attempts: 1, delivered: 1, failed: 0 });
  await totals.advance({ _id: id, user: owner._id, countedThrough: now }, now, {
    attempts: 1,
    delivered: 1,
    failed: 0,
  });

  const pausing = service.get(SubscriptionPauseRepository);
  await pausing.listFailing(now, 20, LIMIT);
  await pausing.findOwner(id);
  await pausing.isActive(id);
  await pausing.pause(id, { failingSince: now, failingAttempts: 20 }, 'It keeps failing', now);
  await pausing.pause(id, { deliveryUrl: subscription.deliveryUrl }, 'It is gone', now);
  await pausing.listPauseNotices(now, LIMIT);
  await pausing.setPauseNoted(Object.assign({}, subscription, { pauseNoticeDueAt: now }));
  await repository.remove(account, pick(subscriptions, 3)._id, now);
}

async function callHistory(service: AssembledService, stored: Stored): Promise<void> {
  const { owner, devices, subscriptions, deliveries, now } = stored;
  const account = accountScope(owner._id);
  const history = service.get(DeliveryHistoryRepository);
  const filters: HistoryFilter[] = choices({
    status: 'failed' as const,
    event: 'MESSAGE_RECEIVED' as const,
    device: pick(devices, 0)._id,
    subscription: pick(subscriptions, 1)._id,
    between: { start: EVER, end: now },
  });
  for (const filter of filters) {
    await history.list(account, filter, { skip: 20, limit: 20 });
    await history.count(account, filter);
  }
  await history.find(account, pick(deliveries, 0)._id);
  await history.readLarge(account, [pick(deliveries, 0)._id]);
  const { message = pick(deliveries, 0)._id } = pick(deliveries, 0);
  await history.listOfMessage(account, idsOf(subscriptions), message, LIMIT);
  await history.countOfMessage(account, idsOf(subscriptions), message);

  const redelivery = service.get(RedeliveryRepository);
  const { _id: id, webhookSubscription, createdAt } = pick(deliveries, 1);
  const span = { from: EVER, to: now, status: 'failed' as const };
  await redelivery.list(account, webhookSubscription, span, undefined, LIMIT);
  await redelivery.list(account, webhookSubscription, span, { createdAt, id }, LIMIT);
  await redelivery.redeliver(account, [id], now);
  await redelivery.replay(account, [id], now);
}

async function callDeliveries(service: AssembledService, stored: Stored): Promise<void> {
  const { subscriptions, messages, now } = stored;
  const repository = service.get(DeliveriesRepository);
  const subscription = pick(subscriptions, 2);
  const delivery = newDelivery(subscription, pick(messages, 1), now, 0, now);
  const another = newDelivery(subscription, pick(messages, 2), now, 0, now);
  await repository.insertMissing([delivery, another]);
  await repository.claimDue(subscription, { count: 1, bytes: 1_000_000 }, now, later(now));
  await repository.claimOversized(accountScope(subscription.user), delivery._id, now, later(now));
  await repository.releaseClaims([delivery]);
  const update = updateAfterAttempt(
    {
      id: new Types.ObjectId(),
      delivery: Object.assign(another, { claim: new Types.ObjectId() }),
      deliveryUrl: subscription.deliveryUrl,
      at: now,
      endedAt: now,
      durationMs: 1,
      outcome: { kind: 'delivered' },
    },
    0,
  );
  await repository.storeResults([{ update, countedThrough: EVER }]); // after losing the claim it reads which were written
  await repository.findNextScheduled(undefined);
  await repository.findNextScheduled(pick(subscriptions, 0)._id);
  await repository.abort(
    accountScope(subscription.user),
    await repository.listAbortable(subscription, now, LIMIT),
    now,
  );
}
