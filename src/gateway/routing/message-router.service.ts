import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { groupBy, groupsOf } from '../../common/group-by';
import { DevicesRepository } from '../../devices/store/devices.repository';
import type { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { PUSH_UNAVAILABLE } from '../../messages/ended-attempt';
import type { OutgoingMessage } from '../../messages/message.schema';
import type { WaveKey } from '../waves/wave-key';
import { pacedAs } from '../waves/wave-plan';
import type { PoolView } from '../senders/pool-view';
import { PoolViews } from '../senders/pool-views.service';
import { MessageMoves } from './message-moves.service';
import { MessageAdmission } from './message-admission.service';
import { type PoolRoute, routeInPool } from './pool-route';
import type { RoutedMessages } from './routed-messages';

type MessageAndRoute = readonly [message: OutgoingMessage, route: PoolRoute];

/** Finds the phones that due messages are handed to. Messages without a usable phone fail; those of a pool may also move to another SIM, or wait. */
@Injectable()
export class MessageRouter {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly pools: PoolViews,
    private readonly batches: BatchesRepository,
    private readonly admission: MessageAdmission,
    private readonly moves: MessageMoves,
    private readonly clock: Clock,
  ) {}

  /** @param due messages that no worker has claimed. */
  async route(batch: Batch, key: WaveKey, due: readonly OutgoingMessage[]): Promise<RoutedMessages[]> {
    const byPool = groupBy(due, ({ pool }) => pool?.toHexString());
    const routed = await Promise.all(
      [...byPool].map(([pool, messages]) =>
        pool === undefined
          ? this.routeToDevice(batch, messages)
          : this.routeInPool(batch, key, new Types.ObjectId(pool), messages),
      ),
    );
    return routed.flat();
  }

  private async routeInPool(
    batch: Batch,
    key: WaveKey,
    pool: Types.ObjectId,
    due: readonly OutgoingMessage[],
  ): Promise<RoutedMessages[]> {
    const account = accountScope(batch.user);
    let view = await this.pools.open(account, pool);
    if (!view) return this.routeWithoutPool(batch, due);
    const outsideQuietHours = await this.holdQuiet(view, batch, key, due);
    const now = this.clock.now();
    const sending = {
      isSingleUrgent: batch.priority === 'urgent' && batch.recipientCount === 1,
      waitsForPhonePace: pacedAs(batch, key.wave) === 'wave',
    };
    // The view counts what was chosen from it, so choosing again needs a reopened one.
    const chooseRoutes = (opened: PoolView) =>
      outsideQuietHours.map((message): MessageAndRoute => [
        message,
        routeInPool(opened, message, sending, now),
      ]);
    let routes = chooseRoutes(view);
    // Only messages that move need the SIM that their recipient last heard from.
    if (routes.some(([, route]) => route.kind === 'send' && route.choice)) {
      view = await this.pools.reopen(
        account,
        view,
        outsideQuietHours.map(({ peerNumber }) => peerNumber),
      );
      routes = chooseRoutes(view);
    }
    await Promise.all([
      this.admission.hold(
        key,
        routes.flatMap(([, route]) => (route.kind === 'hold' ? [route.held] : [])),
        outsideQuietHours,
      ),
      this.fail(routes.flatMap(([message, route]) => (route.kind === 'fail' ? [[message, route.code]] : []))),
      view.recordRoundRobinTurns(),
    ]);
    const routed = byDevice(routes);
    await this.addDevices(batch, routed);
    return routed;
  }

  /** Holds messages to recipients in quiet hours, before they take the room of a SIM. @returns the others. */
  private async holdQuiet(
    { members }: PoolView,
    batch: Batch,
    key: WaveKey,
    due: readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]> {
    if (!batch.quietHours || batch.priority === 'urgent') return due;
    const outsideQuietHours: OutgoingMessage[] = [];
    for (const ofDevice of groupsOf(due, ({ device }) => device.toHexString())) {
      const { device = {} } = members.find((each) => each.device?._id.equals(ofDevice[0].device)) ?? {};
      outsideQuietHours.push(...(await this.admission.holdQuiet(device, batch, key, ofDevice)));
    }
    return due.filter((message) => outsideQuietHours.includes(message));
  }

  /** The pool is gone: messages stay with their phones, and those that one of them did not send fail. */
  private async routeWithoutPool(batch: Batch, due: readonly OutgoingMessage[]): Promise<RoutedMessages[]> {
    const isFirst = ({ attempts = [] }: OutgoingMessage) => attempts.length === 0;
    const ended = due.filter((message) => !isFirst(message));
    await this.fail(ended.map((message) => [message, message.attempts?.at(-1)?.code ?? PUSH_UNAVAILABLE]));
    return this.routeToDevice(batch, due.filter(isFirst));
  }

  private async routeToDevice(batch: Batch, due: readonly OutgoingMessage[]): Promise<RoutedMessages[]> {
    const routed = await Promise.all(
      groupsOf(due, ({ device }) => device.toHexString()).map(async (messages) => {
        const account = accountScope(batch.user);
        const { device: id } = messages[0];
        const device = await this.devices.find(account, id);
        if (device?.enabled) return [{ device, messages, isChosenByPool: false }];
        const replacement = device ? undefined : await this.moves.replacementOf(account, id);
        // They are due again at the other phone; what it cannot take fails.
        if (replacement)
          await this.moves.move(account, messages, { from: id, to: replacement, leavesPool: false });
        const code = device ? 'DEVICE_DISABLED' : 'DEVICE_DELETED';
        await this.fail(messages.map((message) => [message, code]));
        return [];
      }),
    );
    return routed.flat();
  }

  private async fail(failures: readonly (readonly [OutgoingMessage, string])[]): Promise<void> {
    for (const [code, messages] of groupBy(failures, ([, failureCode]) => failureCode))
      await this.admission.fail(
        messages.map(([message]) => message),
        code,
      );
  }

  /** Before the messages are claimed, so that a batch is found under each phone that has a message of it. */
  private async addDevices(batch: Batch, routed: readonly RoutedMessages[]): Promise<void> {
    const { device, devices = [device] } = batch;
    const isMissing = (id: Types.ObjectId) => !devices.some((known) => known.equals(id));
    const missing = routed.map((each) => each.device._id).filter(isMissing);
    if (missing.length > 0) await this.batches.addDevices(batch, [...devices, ...missing]);
  }
}

function byDevice(routes: readonly MessageAndRoute[]): RoutedMessages[] {
  const sends = routes.flatMap(([message, route]) => (route.kind === 'send' ? [{ message, ...route }] : []));
  return groupsOf(sends, ({ to }) => to.device._id.toHexString()).map((ofDevice) => ({
    device: ofDevice[0].to.device,
    messages: ofDevice.map(({ message, to, choice }) => withSim(message, to, choice)),
    isChosenByPool: true,
  }));
}

const withSim = (
  message: OutgoingMessage,
  { device, sim }: Extract<PoolRoute, { kind: 'send' }>['to'],
  choice: OutgoingMessage['choice'],
): OutgoingMessage =>
  Object.assign({}, message, {
    device: device._id,
    sim: sim._id,
    simSubscriptionId: sim.subscriptionId,
    choice,
  });
