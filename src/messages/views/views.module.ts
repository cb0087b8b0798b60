import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { View, ViewSchema } from './view.schema';
import { ViewsRepository } from './views.repository';
import { ViewsService } from './views.service';

/** Saved views of the message list. */
@Module({
  imports: [MongooseModule.forFeature([{ name: View.name, schema: ViewSchema }])],
  providers: [ViewsRepository, ViewsService],
  exports: [ViewsService],
})
export class ViewsModule {}
