import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { ProcessPresence } from './process-presence.service';
import { Recounts } from './recounts.service';
import { Removal, RemovalSchema } from './removal.schema';
import { RemovalsRepository } from './removals.repository';
import { Removals } from './removals.service';
import { Round, RoundSchema } from './round.schema';
import { RoundsRepository } from './rounds.repository';
import { Rounds } from './rounds.service';
import { RunningProcess, RunningProcessSchema } from './running-process.schema';
import { RunningProcessesRepository } from './running-processes.repository';

/** What keeps the service's records in order over the years: recounts, removals, and whose turn it is at them. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Removal.name, schema: RemovalSchema },
      { name: Round.name, schema: RoundSchema },
      { name: RunningProcess.name, schema: RunningProcessSchema },
    ]),
  ],
  providers: [
    ProcessPresence,
    Recounts,
    Removals,
    RemovalsRepository,
    Rounds,
    RoundsRepository,
    RunningProcessesRepository,
  ],
  exports: [Recounts, Removals, RemovalsRepository, Rounds],
})
export class UpkeepModule {}
