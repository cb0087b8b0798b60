import { Command, SubCommand } from 'nest-commander';
import { IsolatedRelayService } from '../../webhooks/relay/isolated-relay.service';
import { CommandGroup, OperatorCommand } from '../operator-command';

@SubCommand({
  name: 'retry',
  description: 'Retry the events that were set aside because they could not be relayed',
})
export class EventsRetryCommand extends OperatorCommand {
  async run(): Promise<void> {
    const count = await (await this.installation.get(IsolatedRelayService)).retrySetAside();
    this.print(
      count === 0
        ? 'No events are set aside'
        : `The events of ${count} message${count === 1 ? '' : 's'} are due: a process with the worker role relays them`,
    );
  }
}

@Command({
  name: 'events',
  description: 'Webhook events',
  subCommands: [EventsRetryCommand],
})
export class EventsCommand extends CommandGroup {}
