import type en from './en';

/** The texts of the pages, by page and name. English has each of them. */
export type Catalogue = typeof en;

type Translated<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends string ? string : Translated<Texts[Name]>;
};

/** A complete catalogue of another language. */
export type Translation = Translated<Catalogue>;
