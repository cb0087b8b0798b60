import { Command, SubCommand } from 'nest-commander';
import { LoneRelayService } from '../../webhooks/lone-relay.service';
import { Installation } from '../installation';
import { CommandGroup, OperatorCommand } from '../operator-command';

@SubCommand({ name: 'retry', description: 'Relay all events that are set aside again, at once' })
export class EventsRetryCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(): Promise<void> {
    const count = await (await this.installation.get(LoneRelayService)).retrySetAside();
    this.print(
      count === 0
        ? 'No message has events that are set aside'
        : `${count} message${count === 1 ? ' is' : 's are'} due: a process with the worker role relays the events`,
    );
  }
}

@Command({
  name: 'events',
  description: 'Events on their way to webhooks',
  subCommands: [EventsRetryCommand],
})
export class EventsCommand extends CommandGroup {}
