import { Command } from 'nest-commander';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { IsolatedRelayService } from '../../webhooks/relay/isolated-relay.service';
import { OperationalRelayService } from '../../webhooks/relay/operational-relay.service';
import { CommandGroup } from '../command-group';

@Command({ name: 'events', description: 'Webhook events' })
export class EventsCommand extends CommandGroup {
  protected override addCommands(): void {
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
