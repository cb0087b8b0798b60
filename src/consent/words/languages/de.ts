import type { WordList } from './word-list';

export const GERMAN: WordList = {
  out: ['stopp', 'abmelden', 'abbestellen', 'kundigen'],
  in: ['anmelden'],
  help: ['hilfe'],
  everyday: ['abmelden', 'abbestellen', 'kundigen'],
  around: [
    ...['bitte', 'jetzt', 'sofort', 'sms', 'mich', 'nachrichten', 'werbung', 'newsletter', 'alle', 'danke'],
    ...['endlich', 'das', 'die', 'hiermit', 'alles', 'spam', 'ok'],
  ],
  unclear: [
    'keine|nix sms|nachrichten|werbung|texte mehr',
    'keine weiteren|weitere sms|nachrichten|werbung|texte',
    'schicken|schickt|senden|sendet sie? mir|uns bitte? keine|nichts sms|nachrichten|werbung? mehr',
    'mir|mich|uns bitte? nicht mehr schreiben|anschreiben|kontaktieren|schicken',
    'schreibt|schreiben|schreib sie? mir nicht mehr',
    'lasst|lass|lassen sie? mich|uns endlich|bitte? in ruhe',
    'hort|hor|horen sie? auf mit|mir|zu dem|diesem|eurem|ihrem? spam|sms|werbung|nachrichten|schreiben',
    'hort|hor|horen sie? auf mir|uns? zu schreiben|schicken|senden|nerven',
    'mich|uns von|aus den|euren|ihren|diesen|dem|eurem|ihrem nachrichten|sms|newsletter|verteiler abmelden|loschen|streichen',
    'loschen|losche|loscht|entfernen|entfernt|streichen sie? bitte? mich|meine|diese nummer|aus|von',
    'aus dem|eurem|ihrem|der|eurer|ihrer verteiler|liste',
    'kein interesse mehr? an euren|ihren|euern|diesen|der nachrichten|sms|werbung|angeboten',
    'wie kann|melde|bestelle ich das|mich|diese|die hier? ab|abbestellen|abmelden',
    'will|mochte|mochten ich? keine sms|nachrichten|werbung',
    'will|mochte nichts mehr von euch|ihnen',
  ],
  harmless: [
    'stopp|stop mal|kurz|halt|schild|uhr',
    'start stop|stopp',
    'einen|der|den|ein|zwischen|kurzer|nachster|letzter|ohne|nicht|kein stop|stopp',
  ],
};
