import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsObject,
  IsString,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { STOP_SCOPES, type StopScope } from '../../../auth/accounts/consent-settings';
import { NullableField, OptionalBoolean, OptionalField } from '../../../common/http/requests/fields';
import { Printable } from '../../../common/http/requests/text-rules';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { CONSENT_LANGUAGES, type ConsentLanguage } from '../../words/languages/word-list';

const MAX_KEYWORDS = 20;
const MAX_KEYWORD_LENGTH = 30;
const MAX_TEXT_LENGTH = 80;

const OwnKeywords = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      maxItems: MAX_KEYWORDS,
      items: { type: 'string', maxLength: MAX_KEYWORD_LENGTH },
      description,
      example: [example],
    }),
    OptionalField(),
    IsArray(),
    ArrayMaxSize(MAX_KEYWORDS),
    IsString({ each: true }),
    MaxLength(MAX_KEYWORD_LENGTH, { each: true }),
  );

const NullableText = (description: string, example: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_TEXT_LENGTH, description, example }),
    NullableField(),
    IsString(),
    MaxLength(MAX_TEXT_LENGTH),
    Printable(),
  );

/** Keywords of the account; absent lists are empty. */
@UnsuggestedFields()
export class KeywordsRequest {
  @OwnKeywords('Words that block', 'genug')
  out?: string[];

  @OwnKeywords('Words that lift a block', 'weiter')
  in?: string[];

  @OwnKeywords('Words that ask for help', 'wer')
  help?: string[];
}

/** Absent fields stay unchanged. */
@UnsuggestedFields()
export class ConsentSettingsRequest {
  @OptionalBoolean('Whether texts are read and blocks are obeyed')
  enabled?: boolean;

  @ApiPropertyOptional({
    enum: STOP_SCOPES,
    enumName: 'StopScope',
    description:
      'What a person stops who asks for no more messages. topic: messages with the topic of the last send to the number; undeclared: all but those that declare the purpose transactional; everything. Blocks that exist keep what they cover',
    example: 'undeclared',
  })
  @OptionalField()
  @IsIn(STOP_SCOPES)
  stopCovers?: StopScope;

  @ApiPropertyOptional({
    enum: CONSENT_LANGUAGES,
    isArray: true,
    maxItems: CONSENT_LANGUAGES.length,
    description: 'Languages whose words are understood beside STOP, START and HELP. Replaces the list',
    example: ['en', 'es'],
  })
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(CONSENT_LANGUAGES.length)
  @ArrayUnique()
  @IsIn(CONSENT_LANGUAGES, { each: true })
  languages?: ConsentLanguage[];

  @ApiPropertyOptional({ type: KeywordsRequest, description: 'Words of the account. Replaces all of them' })
  @OptionalField()
  @IsObject()
  @ValidateNested()
  @Type(() => KeywordsRequest)
  keywords?: KeywordsRequest;

  @NullableText('Who writes, in automatic replies; null removes it', 'Bike Shop')
  senderName?: string | null;

  @NullableText('How to reach them, in automatic replies; null removes it', '+44 20 7946 0000')
  contact?: string | null;

  @OptionalBoolean(
    'Whether STOP, and a START that lifts a block, are confirmed, once senderName and contact are set',
  )
  confirmation?: boolean;

  /** The settings that are given, with all lists of keywords if some are. */
  toPatch() {
    const { enabled, stopCovers, languages, keywords, senderName, contact, confirmation } = this;
    return {
      ...{ enabled, stopCovers, languages, senderName, contact, confirmation },
      ...(keywords && {
        keywords: { out: keywords.out ?? [], in: keywords.in ?? [], help: keywords.help ?? [] },
      }),
    };
  }
}
