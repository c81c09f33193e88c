/**
 * Frequent English words of four letters and more. They are neither names of things nor misspelled ones: "that" is no project, and "shot" is
 * not "shop". What the thesaurus knows is not repeated.
 */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  `above after ahead almost alone already among anybody anyone around asleep away bank base beer better between bill birthday black blog blue
board boat body born both bottle bottom bread brother brown budget business call campaign care cart case cash chance chat cheap checkout
cheese child city class clean client clock cloud coffee cold color come company cook cool copy corner cost country couple cream customer
customers daily dance dark data date daughter deal deep desk dinner doctor door double doubt dream dress drink drive during early east
easy edge effort else email employee empty energy english enjoy enough evening event face fair fall family famous farm fast father fear
feel field fight file film final finally finger finish fire fish five flight floor flower focus food foot forever fork forward four friday
friend friendly front funny future game garden gift girl glad glass goal gold good great grid ground group guest hair half happen happy
hard hardly head hear heart heat heavy help high hill holiday hope horse hospital hotel hour huge hundred hungry hurry hurt image inside
instead interest island item joke keep kept keyboard kind king kitchen lady lamp land language laptop late later laugh least leave less
letter level life light limit link little lonely long lose lost loud love luck lucky lunch magazine mail main major march market matter
mean meat meet meeting member merry message middle mile milk mind minute mistake modern moment money month mood moon morning most mother
mouse mouth movie much music name narrow nature near neck never newsletter nice night noise none normal north nothing notice offer office
often once opinion order outside pain paint pair paper parent part party pass path peace people perhaps phone photo picture piece pile
pizza plan plane plant plants plate play plenty police pool poor post power price probably promise proud public pull quality quarter
question quick quiet race radio rain raise rate reach real reason recipe rest restaurant rich ride rise risk river road robot rock role
round rule safe salad sale salt sand save scale school screen season seat second section seem sell send sense series seven several shape
share shirt shoe shoes shop shopping short shot shoulder shout shut side sign silver simple since sing single sister site sketch skill
sleep slide small smart smell smile smoke snow social soft song soon sorry sort sound south speak special spend spoon sport spring staff
star station stay steel stick stone store story straight strange street strong student study stuff stupid style subject such summer sunday
surprise sweet swim system talk tall taste teach term thin thing things think third though thought three throw ticket time tiny tired
title today together tomorrow tonight tool total touch town track trade train travel treat tree trip true truly trust truth twelve twice
ugly under unit until upon user usual value village visit voice wait walk wall warm wash water weak wear weather website week weekend
weight west wheel while white whole wide wife wild wind window wine winter within without woman wonder wood word words world worry worse
worst yard year yellow young zero`.split(/\s/),
);
