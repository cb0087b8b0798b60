import { Command } from 'nest-commander';
import { Leases } from '../../infrastructure/mongo/leases.service';
import { MAINTENANCE_JOBS } from '../../maintenance/maintenance-jobs';
import { CommandGroup } from '../command-group';

@Command({ name: 'maintenance', description: 'Totals and retention' })
export class MaintenanceCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add('run', 'Run all maintenance jobs now').action(async () => {
      await (await this.installation.get(Leases)).revoke(MAINTENANCE_JOBS);
      this.print(
        'All maintenance jobs are due: a process with the scheduler role starts them within ten seconds',
      );
    });
  }
}
