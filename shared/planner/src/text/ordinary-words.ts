/**
 * Frequent English words of four letters and more. They are neither names of things nor misspelled ones: "that" is no project, and "shot" is
 * not "shop".
 */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  (
    'about above after ahead almost alone already also always among another anybody anyone around asleep away back ' +
    'bank base beer best better between bill birthday black blog blue board boat body book born both bottle bottom ' +
    'branch bread break bring brother brown budget business button call campaign card care cart case cash chance chat ' +
    'cheap checkout cheese child city class clean clear client clock cloud coffee cold color come company computer ' +
    'cook cool copy corner cost could country couple cream customer customers daily dance dark data date daughter ' +
    'dead deal dear deep desk detail dinner doctor door double doubt down dream dress drink drive drop during each ' +
    'early east easy edge effort either else email employee empty energy english enjoy enough evening event ever ' +
    'every face fact fair fall family famous farm fast father fear feel field fight file film final finally fine ' +
    'finger finish fire fish five flight floor flower focus food foot forever fork form forward four free friday ' +
    'friend friendly front full funny future game garden gift girl glad glass goal gold gone good great green grid ' +
    'ground group guest hair half hand hands happen happy hard hardly head hear heart heat heavy help here high hill ' +
    'history holiday home hope horse hospital hotel hour house huge hundred hungry hurry hurt idea image inside ' +
    'instead interest island issue item join joke keep kept keyboard kind king kitchen know lady lamp land language ' +
    'laptop large last late later laugh lead learn least leave left less letter level life light limit line link list ' +
    'listen little lonely long look lose lost loud love luck lucky lunch machine magazine mail main major make many ' +
    'march mark market matter maybe mean meat meet meeting member memory merry message middle might mile milk mind ' +
    'minute miss mistake modern moment money month mood moon more morning most mother mouse mouth move movie much ' +
    'music must name narrow nature near neck need never news newsletter nice night nobody noise none normal north ' +
    'note nothing notice number offer office often once open opinion order outside page pain paint pair paper parent ' +
    'park part party pass past path peace people perhaps person phone photo picture piece pile pizza place plan plane ' +
    'plant plants plate play please plenty point police pool poor post power price print probably problem product ' +
    'program promise proud public pull purpose push quality quarter question quick quiet quite race radio rain raise ' +
    'rate rather reach read ready real really reason recipe record rest restaurant result rich ride right rise risk ' +
    'river road robot rock role room round rule safe said salad sale salt same sand save scale school screen season ' +
    'seat second section seem sell send sense series serve seven several shape share shirt shoe shoes shop shopping ' +
    'short shot shoulder shout show shut sick side sign silver simple since sing single sister site size sketch skill ' +
    'sleep slide slow small smart smell smile smoke snow social soft some song soon sorry sort sound south space ' +
    'speak special spend spoon sport spring staff stage stand star start state station stay steel step stick still ' +
    'stone stop store story straight strange street strong student study stuff stupid style subject success such ' +
    'suggest summer sunday sure surprise sweet swim system table take talk tall taste teach team tell term test text ' +
    'than thank their them then these they thin thing things think third though thought three throw ticket time tiny ' +
    'tired title today together told tomorrow tonight tool total touch town track trade train travel treat tree trip ' +
    'trouble true truly trust truth turn twelve twice ugly under unit until upon user users usual value very view ' +
    'village visit voice wait walk wall want warm wash watch water weak wear weather website week weekend weight well ' +
    'west wheel while white whole wide wife wild wind window wine winter wish within without woman wonder wood word ' +
    'words work world worry worse worst would write wrong yard year yellow yesterday young zero'
  ).split(' '),
);
