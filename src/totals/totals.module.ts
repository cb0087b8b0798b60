import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { DayCounts, DayCountsSchema, Totals, TotalsSchema } from './totals.schema';
import { TotalsRepository } from './totals.repository';
import { TotalsService } from './totals.service';

/** Counts of messages by account, phone and hour. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Totals.name, schema: TotalsSchema },
      { name: DayCounts.name, schema: DayCountsSchema },
    ]),
  ],
  providers: [TotalsRepository, TotalsService],
  exports: [TotalsRepository, TotalsService],
})
export class TotalsModule {}
