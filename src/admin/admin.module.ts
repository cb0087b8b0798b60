import { type DynamicModule, Module } from '@nestjs/common';
import { AccountCommand } from './commands/account.command';
import { AdminCommand } from './commands/admin.command';
import { DeviceCommand } from './commands/device.command';
import { EventsCommand } from './commands/events.command';
import { KeyCommand } from './commands/key.command';
import { MaintenanceCommand } from './commands/maintenance.command';
import { PairingCommand } from './commands/pairing.command';
import { PlanCommand } from './commands/plan.command';
import { SecretsCommand } from './commands/secrets.command';
import { Installation, type ServiceModule } from './installation';

@Module({
  providers: [
    AdminCommand,
    AccountCommand,
    KeyCommand,
    DeviceCommand,
    PairingCommand,
    PlanCommand,
    EventsCommand,
    SecretsCommand,
    MaintenanceCommand,
  ],
})
export class AdminModule {
  static register(service: ServiceModule): DynamicModule {
    return {
      module: AdminModule,
      providers: [{ provide: Installation, useValue: new Installation(service) }],
    };
  }
}
