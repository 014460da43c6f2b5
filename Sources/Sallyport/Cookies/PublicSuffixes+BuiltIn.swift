import Foundation

extension PublicSuffixes {
    /// The list that is installed on the system (Debian's package `publicsuffix`), or a short built-in table otherwise.
    ///
    /// The table contains the common registries of countries and the largest hosting services. An app that needs the full list on
    /// every system passes it to ``init(text:)``. The list is read when it is first used.
    public static let builtIn = PublicSuffixes()

    /// The rules of ``builtIn``, read on first use.
    static let loaded = installed(at: "/usr/share/publicsuffix/public_suffix_list.dat") ?? compact

    /// Returns the list in a file; `nil` if it cannot be read or is empty.
    static func installed(at path: String) -> PublicSuffixes? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), !text.isEmpty else { return nil }
        return PublicSuffixes(text: text)
    }

    /// The short table.
    static let compact = PublicSuffixes(
        text: (registries + hosting).joined(separator: "\n"),
        countryLabels: [
            "ac", "asso", "co", "com", "edu", "go", "gob", "gouv", "gov", "govt", "gv", "ltd", "mil", "muni", "ne",
            "net", "nom", "or", "org", "plc", "sch",
        ]
    )

    private static let registries = [
        "me.uk", "nhs.uk", "police.uk", "*.sch.uk",
        "asn.au", "id.au",
        "geek.nz", "gen.nz", "iwi.nz", "kiwi.nz", "maori.nz", "school.nz",
        "ad.jp", "ed.jp", "gr.jp", "lg.jp",
        "*.kawasaki.jp", "!city.kawasaki.jp", "*.kobe.jp", "!city.kobe.jp", "*.nagoya.jp", "!city.nagoya.jp",
        "*.yokohama.jp", "!city.yokohama.jp",
        "pe.kr", "re.kr",
        "firm.in", "gen.in", "ind.in", "res.in",
        "law.za", "school.za", "web.za",
        "desa.id", "my.id", "web.id",
        "idv.tw", "idv.hk",
        "adv.br", "art.br", "blog.br", "eng.br", "ind.br", "tv.br",
        "bel.tr", "gen.tr", "k12.tr", "web.tr",
        "*.bd", "*.ck", "!www.ck", "*.er", "*.fk", "*.jm", "*.kh", "*.mm", "*.np", "*.pg",
        "br.com", "cn.com", "co.com", "de.com", "eu.com", "gb.net", "jpn.com", "ru.com", "sa.com", "uk.com", "uk.net",
        "us.com", "za.com",
    ]

    private static let hosting = [
        "appspot.com", "*.r.appspot.com", "a.run.app", "firebaseapp.com", "web.app", "blogspot.com",
        "cloudfront.net", "elasticbeanstalk.com", "s3.amazonaws.com", "*.compute.amazonaws.com",
        "*.compute-1.amazonaws.com", "*.elb.amazonaws.com", "amplifyapp.com", "*.awsapprunner.com",
        "azurewebsites.net", "azurestaticapps.net", "cloudapp.net", "*.cloudapp.azure.com",
        "*.azurecontainer.io", "blob.core.windows.net", "web.core.windows.net",
        "github.io", "githubusercontent.com", "gitlab.io", "bitbucket.io", "readthedocs.io",
        "pages.dev", "workers.dev", "r2.dev", "deno.dev", "fly.dev", "vercel.app", "vercel.dev", "now.sh",
        "netlify.app", "onrender.com", "up.railway.app", "herokuapp.com", "ondigitalocean.app",
        "*.digitaloceanspaces.com", "*.linodeobjects.com", "surge.sh", "glitch.me", "repl.co", "replit.app",
        "ngrok.app", "ngrok.dev", "ngrok.io", "ngrok-free.app", "ngrok-free.dev", "trycloudflare.com",
        "duckdns.org", "myfritz.net", "myshopify.com", "translate.goog", "wixsite.com",
    ]
}
