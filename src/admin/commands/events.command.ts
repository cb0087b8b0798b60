import { Command } from 'nest-commander';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { IsolatedRelayService } from '../../webhooks/relay/isolated-relay.service';
import { OperationalRelayService } from '../../webhooks/relay/operational-relay.service';
import { CommandGroup } from '../command-group';

/** Of each collection. The log has the reason of each. */
const MAX_LISTED = 1_000;

@Command({ name: 'events', description: 'Webhook events' })
export class EventsCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add(
      'list',
      'List the events that were set aside because they could not be relayed: what raised them, its id, account, since when, attempts',
    ).action(async () => {
      const messages = await this.installation.get(IsolatedRelayService);
      const others = await this.installation.get(OperationalRelayService);
      const found = [
        ...(await messages.listSetAside(MAX_LISTED)),
        ...(await others.listSetAside(MAX_LISTED)),
      ];
      if (found.length === 0) this.print('No events are set aside');
      for (const { kind, _id, user, at, attempts } of found)
        this.printRow([kind, String(_id), String(user), at.toISOString(), String(attempts)]);
    });

    this.add('retry', 'Retry the events that were set aside because they could not be relayed').action(
      async () => {
        const messages = await (await this.installation.get(IsolatedRelayService)).retrySetAside();
        const others = await (await this.installation.get(OperationalRelayService)).retrySetAside();
        if (messages > 0) await (await this.installation.get(OutboxQueue)).enqueue();
        if (messages + others === 0) this.print('No events are set aside');
        this.printDue(messages, ['message', 'messages'], 'worker');
        this.printDue(others, ['device or SIM', 'devices and SIMs'], 'scheduler');
      },
    );
  }

  private printDue(count: number, [one, several]: readonly [string, string], role: string): void {
    if (count === 0) return;
    const kind = count === 1 ? one : several;
    this.print(`The events of ${count} ${kind} are due: a process with the ${role} role relays them`);
  }
}
