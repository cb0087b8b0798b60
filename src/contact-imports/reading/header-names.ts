import type { ColumnTarget } from './column-target';

type Plain = Exclude<ColumnTarget['to'], 'field' | 'ignore'>;

/**
 * What columns are called in spreadsheets in English, German, Spanish, French and Portuguese, and in the exports of Google Contacts
 * and Outlook: in lower case, without accents, words apart by single spaces.
 */
const NAMES: Readonly<Record<Plain, string>> = {
  name: `
    name | full name | display name | contact | contact name | customer | customer name | client | client name | file as
    vollstandiger name | anzeigename | vor und nachname | kontakt | kunde | kundenname | ansprechpartner
    nombre completo | nombre y apellidos | nombre y apellido | contacto | cliente
    nom complet | nom et prenom | prenom et nom
    nome completo | contato`,
  firstName: `
    first name | firstname | given name | forename
    vorname
    nombre | nombres | primer nombre
    prenom
    nome | primeiro nome`,
  middleName: `
    middle name | additional name
    weitere vornamen | zweiter vorname
    segundo nombre
    deuxieme prenom
    nome do meio`,
  lastName: `
    last name | lastname | surname | family name
    nachname | familienname
    apellido | apellidos
    nom | nom de famille
    apelido | sobrenome | ultimo nome`,
  number: `
    number | phone | phones | phone number | phone no | phonenumber | mobile | mobile phone | mobile number | mobile no
    cell | cell phone | cellphone | cell number | tel | tel no | telephone | telephone number | msisdn | sms | whatsapp
    recipient | primary phone | home phone | home phone 2 | business phone | business phone 2 | work phone | other phone
    company main phone | car phone
    telefon | telefonnummer | telefonnr | telefon nr | tel nr | rufnummer | nummer | handy | handynummer | handynr | handy nr
    mobil | mobilnummer | mobiltelefon | mobilfunk | mobilfunknummer | telefon privat | telefon geschaftlich | telefon mobil
    telefon firma | weiteres telefon | festnetz | empfanger
    telefono | telefonos | numero | numero de telefono | movil | telefono movil | celular | telefono celular | numero de celular
    telefono particular | telefono del trabajo | destinatario
    numero de telephone | telephone portable | telephone mobile | telephone personnel | telephone professionnel | portable
    numero de portable | tel portable | gsm | destinataire
    telefone | numero de telefone | telemovel | telefone celular | numero de telemovel | contacto telefonico`,
  label: `number label`,
  tags: `
    tag | tags | label | labels | group | groups | group membership | category | categories | segment | segments
    gruppe | gruppen | kategorie | kategorien | etikett | etiketten | schlagwort | schlagworter
    etiqueta | etiquetas | grupo | grupos | categoria | categorias
    etiquette | etiquettes | groupe | groupes | categorie
    marcador | marcadores`,
  notes: `
    note | notes | comment | comments | remark | remarks
    notiz | notizen | bemerkung | bemerkungen | kommentar | kommentare | anmerkung | anmerkungen
    nota | notas | comentario | comentarios | observacion | observaciones
    remarque | remarques | commentaire | commentaires
    observacao | observacoes | anotacoes`,
  language: `language | lang | locale | sprache | idioma | langue | lingua`,
};

const BY_NAME: ReadonlyMap<string, Plain> = new Map(
  (Object.entries(NAMES) as [Plain, string][]).flatMap(([target, names]) =>
    names.split(/[|\n]/).flatMap((name) => (name.trim() === '' ? [] : [[name.trim(), target] as const])),
  ),
);

/** The numbered columns of Google Contacts, of our own export and of people: `Phone 1 - Value`, `number 2 label`. */
const NUMBERED =
  /^(?:phone|number|tel|mobile|telefon|telefono|telephone|telefone) \d{1,2}( (?:value|type|label))?$/;

/** What a column with this name holds; undefined for a name that is not known. */
export function targetOfHeader(header: string): Plain | undefined {
  const name = plainName(header);
  const [numbered, part] = NUMBERED.exec(name) ?? [];
  if (numbered !== undefined) return part === ' type' || part === ' label' ? 'label' : 'number';
  return BY_NAME.get(name);
}

/** Whether a name says no more of a number than its place, such as `number 2` or `Phone 1 - Value`. */
export const isNumbered = (header: string): boolean => {
  const name = plainName(header);
  return name === 'number' || name === 'phone' || NUMBERED.test(name);
};

const plainName = (header: string): string =>
  header
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
