import type { WordList } from './word-list';

export const FRENCH: WordList = {
  out: ['arret', 'desabonner'],
  in: ['debut', 'demarrer', 'commencer'],
  help: ['aide'],
  everyday: ['arret'],
  around: [
    ...['svp', 'stp', 'merci', 'maintenant', 'sms', 'messages', 'message', 'pub', 'pubs', 'tout'],
    ...['immediat', 'immediatement', 'ok'],
  ],
  unclear: [
    'ne plus me? menvoyer|envoyer|mecrire|ecrire|contacter|recevoir|deranger|mimportuner|solliciter',
    'ne mecrivez|menvoyez|envoyez|ecrivez|contactez|mharcelez plus',
    'plus de|aucun sms|messages|message|pub|pubs|publicite|texto|textos',
    'arretez|arrete|cessez|stoppez de|vos|ces|les? envoyer|menvoyer|mecrire|pubs|pub|sms|messages|spam|harceler',
    'foutez|fichez|laissez|laisse moi|nous la? paix|tranquille|tranquilles',
    'comment on|je|puis|faire je? pour? se|me? desinscrire|desinscrit|desinscris|desabonner|desabonne',
    'supprimer|supprimez|retirer|retirez|effacez|enlevez mon|ce numero',
    'retirez|enlevez|supprimez|retire|enleve moi de',
    'desinscrire|desabonner|desinscrivez|desabonnez moi|svp',
    'me desabonner',
    'cest|c est? du harcelement|spam',
    'arretez|cessez svp|stp|maintenant|tout',
    'marre de vos|ces',
    'plus interesse|interessee|interesses par vos|ces|votre',
  ],
  harmless: ['feu|feux|panneau|au|un|le|du|sans|non|auto|dernier|prochain stop', 'stop ou'],
};
