/**
 * Frequent English words. They are neither names of things nor misspelled words of ours, so that "the rest" is not read as a
 * project nor "sport" as "port"; what else they mean, the thesaurus and the tools say.
 */
export const ORDINARY_WORDS: ReadonlySet<string> = new Set(
  (
    'ability able about above accept access according account across act action actually add additional address adult afraid ' +
    'after afternoon afterward afterwards age ago agree ah ahead air allow almost alone along already alright also although ' +
    'always among amount angry animal another answer anybody anyhow anymore anyone anyway anywhere apparently appear apply ' +
    'approach april area argh argue arm around arrive art asap ash ask asleep attempt attention august author autumn average ' +
    'avoid away baby back backward bad badge bag bank bar base basic basically basis bc beautiful became because bed been ' +
    'beer began begin beginning behavior behind being believe bell below beside besides best better between beyond bigger ' +
    'bill birthday bit black blog blood blue board boat body book bored boring born boss bot both bother bottle bottom bought ' +
    'box boy brain branch bread break breakfast brick briefly bright bring bro broad brother brown btw buddy budget bunch ' +
    'business button buy bye cake call came camera campaign capital captain car card care careful carefully carpet carry cart ' +
    'case cash cat catch cause cell central century certain certainly chair chance character charge chat cheap cheaper ' +
    'cheapest checkout cheers cheese chief child children chocolate church ciao city claim class clean clear clearly client ' +
    'clients climb clock clothes cloud coach coal coffee coin cold colleague colleagues collect collects college color column ' +
    'come comes coming comment common community company compare complete completely computer concern concerning condition ' +
    'confirm confused consider contain contains content continue control cook cool copy corner cost could country couple ' +
    'coupon course cover coz crazy cream credit cup curtain customer customers cut cuz daily damage dance danger dangerous ' +
    'dark data date daughter day days dead deal dear death debit decade december decide decided decision deck deep degree ' +
    'depend design desk desktop detail develop did die difference different difficult dinner direct direction directly ' +
    'director discount discover discuss discussion do doctor does dog done door double doubt down downward dozen draft draw ' +
    'draws dream dress drink drive drop dry dude due during dust each ear early earn east easy eat economy edge education ' +
    'effect effort eh eight either else email employee empty end energy engine english enjoy enough enter entire entry ' +
    'especially even evening event ever every everybody everyone everywhere evidence exactly example excellent except ' +
    'exercise exist exists expect expensive experience expert explain extra extranet eye face fact fail fair fall familiar ' +
    'family famous fancy far farm fast faster father favorite fear february fee feel fell felt few field fight figure file ' +
    'fill film final finally fine finger finish fire firm firstly fish five flight floor flower fly focus folder folks follow ' +
    'food foot force forever forget fork form former forward found four free french fresh friday friend friendly friends ' +
    'front full fun funny further furthermore future fyi game garden gas general german get gift girl give glad glass go goal ' +
    'god goes going gold gone good goodness gosh got government grand great green grid ground group grow guess guest gun guy ' +
    'guys haha hair half hand hands hang happen happens happy hard hardly hate head health heap hear heard heart heat heavy ' +
    'hehe held hello help helps hence here herself hi high hill himself history hit hm hmm hold holiday home honest honestly ' +
    'hope hopefully horse hospital hot hotel hour hours house huge human hundred hungry hurry hurt husband ice idea identify ' +
    'image imagine imho immediately impact important improve include including increase indeed indicate industry information ' +
    'inside instead interest interesting international interview intranet invite invoice involve iron island issue item ' +
    'itself january job join joke july jump june keep kept key keyboard kid kids kill kind kinda king kiosk kitchen knew ' +
    'knife know knowledge lady lamp land language laptop large last lastly late lately later laugh law lay lead learn ' +
    'learning least leave left legal less let letter level lie life light likely limit line link list listen literally little ' +
    'loan login lol lonely long longer look lose loss lost lot lots loud love low luck lucky lunch machine mad magazine mail ' +
    'main mainly maintain major majority make mall man manage management manager many march mark market marriage mate ' +
    'material matter matters maybe mean means meanwhile measure meat media medical meet meeting meh member memory men mention ' +
    'merry message method middle might mile milk million mind mine minus minute minutes miss mistake modern moment monday ' +
    'money monitor month months mood moon more moreover morning most mother mouse mouth move movement movie much mud mum ' +
    'music must myself name narrow nation natural nature near nearby nearly necessary neck need never nevertheless new news ' +
    'newsletter newsletters newspaper nice night nine nobody noise none nor normal normally north note nothing notice ' +
    'november nowhere number objection objections objects obviously occur october odd off offer office officer often oh oil ' +
    'okay old omg once onward oops open operation opinion opportunity option order orders ordinary organization original ' +
    'others otherwise ouch ought ourselves outside own page pain paint pair paper parent park part particular particularly ' +
    'partner party pass password past path patient pay payment peace pen pencil people percent percentage perhaps period ' +
    'person personal phone photo picture piece pile pizza place plan plane plant plants plate play player please plenty plus ' +
    'point police policy pool poor popular position positive possible possibly post power practice prefer preferably prepare ' +
    'present president pressure pretty prevent price print printer private probably problem process produce product program ' +
    'promise property protect proud prove provide public pull purpose push put quality quarter question quick quickly quiet ' +
    'quite quote race radio rain raining raise ran range rate rather ratio reach read ready real realize really reason ' +
    'receive recent recently recipe record red reduce regarding regards regular relationship relax remain remember report ' +
    'require research rest restaurant result return rich ride right rise risk river road robot rock role room round row rule ' +
    'safe said salad sale salt same sand saturday save saw say says scale school science screen sea search season seat sec ' +
    'second secondly section security see seem seems seen sell selling sells send sense sensible sent september series ' +
    'serious serve service set seven several shall shape share she shirt shoe shoes shop shopping short shorter shot shoulder ' +
    'shout show shut sick side sign silver simple simply since sincerely sing single sir sister sit site situation six size ' +
    'sketch skill sky sleep slide slow small smaller smart smell smile smoke snow social society soft solution some somebody ' +
    'someone something sometimes somewhere son song soon sorry sort sorta sound south space speak special spend spoke spoon ' +
    'sport spring stack staff stage stand star start state station stay steel step stick sticker still stone stop store story ' +
    'straight strange street strong student study stuff stupid style subject success such sudden suddenly suggest summer sun ' +
    'sunday support suppose supposedly sure surface surprise survey sweet swim system table take talk talking tall taste tax ' +
    'tbh tea teach teacher team tell ten tend term test text than thank thanks their them theme themselves then theory these ' +
    'they thin thing things thingy think thinking third tho though thought thousand three through throughout throw thursday ' +
    'thus ticket tickets till time times tiny tired title today together told tomorrow tonight tons too took tool top total ' +
    'touch toward town toy track trade train travel treat tree trip triple trouble true truly trust truth try tuesday turn ' +
    'twelve twenty twice two type ugh ugly uh um under understand understood unfortunately unit united unless until upon ' +
    'upward urgent urgently use user users usual usually vacation value various vegetable very via view village visit visitor ' +
    'voice voucher wait walk wall want war warm wash watch water way weak wear weather webshop website wednesday week weekend ' +
    'weekly weeks weight welcome well went west wet whatever whatsoever wheel whenever wherever whether whichever while white ' +
    'whoever whole why wide wife wild win wind window wine winter wish within without woman women wonder wonderful wood word ' +
    'words work worked worker workers works world worry worse worst worth would wow write wrong yard yay year years yellow ' +
    'yes yesterday yet yikes young yourself zero'
  ).split(' '),
);
