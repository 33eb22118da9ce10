import Foundation

/// The table of countries and states.
extension PlaceName {
  /// The states of the USA, and the countries and territories with ISO 3166-1's codes of three letters.
  static let all: [PlaceName] = {
    let states = lines(of: stateTable).map(state)
    let america = PlaceName(
      codes: ["USA", "US", "U.S.", "U.S.A."], names: ["United States", "America"],
      texts: states.flatMap(\.texts) + ["Puerto Rico", "U.S. Virgin Islands", "Guam"])
    return states + [america] + lines(of: countryTable).map(country)
  }()

  private static func lines(of table: String) -> [(code: String, rest: String)] {
    table.components(separatedBy: "\n").compactMap { (line: String) in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }

  private static func state(_ code: String, _ name: String) -> PlaceName {
    // In full, it is the country in nearly all places.
    let written = name == "Georgia" ? [] : parts[name] ?? texts(of: name)
    return PlaceName(codes: [code], names: [name], texts: [", \(code)"] + written)
  }

  /// The names of a country, separated by bars, are also texts of places, except those behind an equals sign.
  private static func country(_ code: String, _ rest: String) -> PlaceName {
    let names = rest.components(separatedBy: " | ")
    let written = names.filter { !$0.hasPrefix("=") }
    return PlaceName(
      codes: [code], names: names.map { $0.hasPrefix("= ") ? String($0.dropFirst(2)) : $0 },
      texts: written.flatMap { parts[$0] ?? texts(of: $0) })
  }

  private static func texts(of name: String) -> [String] {
    ambiguous.contains(name) ? [", \(name)"] : [name]
  }

  /// Names that are also parts of other names; in these places they stand behind a comma.
  private static let ambiguous: Set = [
    "Chad", "Dominica", "Georgia", "Guinea", "India", "Ireland", "Jordan", "Kansas", "Mali",
    "Mexico", "MX", "Niger", "Panama", "Samoa", "Sudan", "Virginia", "Washington",
  ]

  /// Texts of places for names that are parts of other names in other ways: there is a Baja California, too.
  private static let parts = [
    "California": [", California", "ern California", "entral California", "California-"]
  ]

  private static let stateTable = """
    AL Alabama
    AK Alaska
    AZ Arizona
    AR Arkansas
    CA California
    CO Colorado
    CT Connecticut
    DE Delaware
    DC District of Columbia
    FL Florida
    GA Georgia
    HI Hawaii
    ID Idaho
    IL Illinois
    IN Indiana
    IA Iowa
    KS Kansas
    KY Kentucky
    LA Louisiana
    ME Maine
    MD Maryland
    MA Massachusetts
    MI Michigan
    MN Minnesota
    MS Mississippi
    MO Missouri
    MT Montana
    NE Nebraska
    NV Nevada
    NH New Hampshire
    NJ New Jersey
    NM New Mexico
    NY New York
    NC North Carolina
    ND North Dakota
    OH Ohio
    OK Oklahoma
    OR Oregon
    PA Pennsylvania
    RI Rhode Island
    SC South Carolina
    SD South Dakota
    TN Tennessee
    TX Texas
    UT Utah
    VT Vermont
    VA Virginia
    WA Washington
    WV West Virginia
    WI Wisconsin
    WY Wyoming
    """

  private static let countryTable = """
    AFG Afghanistan
    ALB Albania
    DZA Algeria
    ASM American Samoa
    AND Andorra
    AGO Angola
    AIA Anguilla
    ATA Antarctica
    ATG Antigua and Barbuda
    ARG Argentina
    ARM Armenia
    ABW Aruba
    AUS Australia
    AUT Austria
    AZE Azerbaijan
    BHS Bahamas
    BHR Bahrain
    BGD Bangladesh
    BRB Barbados
    BLR Belarus
    BEL Belgium
    BLZ Belize
    BEN Benin
    BMU Bermuda
    BTN Bhutan
    BOL Bolivia
    BIH Bosnia and Herzegovina
    BWA Botswana
    BVT Bouvet Island
    BRA Brazil
    VGB British Virgin Islands
    BRN Brunei
    BGR Bulgaria
    BFA Burkina Faso
    MMR Burma | Myanmar
    BDI Burundi
    KHM Cambodia
    CMR Cameroon
    CAN Canada
    CPV Cape Verde | Cabo Verde
    CYM Cayman Islands
    CAF Central African Republic
    TCD Chad
    CHL Chile
    CHN China
    COL Colombia
    COM Comoros
    COG Republic of the Congo
    COD Democratic Republic of the Congo
    COK Cook Islands
    CRI Costa Rica
    CIV Ivory Coast | Côte d'Ivoire
    HRV Croatia
    CUB Cuba
    CUW Curacao | Curaçao
    CYP Cyprus
    CZE Czech Republic | Czechia
    DNK Denmark
    DJI Djibouti
    DMA Dominica
    DOM Dominican Republic
    ECU Ecuador
    EGY Egypt
    SLV El Salvador
    GNQ Equatorial Guinea
    ERI Eritrea
    EST Estonia
    SWZ Swaziland | Eswatini
    ETH Ethiopia
    FLK Falkland Islands
    FRO Faroe Islands
    FJI Fiji
    FIN Finland
    FRA France
    GUF French Guiana
    PYF French Polynesia
    ATF French Southern Territories
    GAB Gabon
    GMB Gambia
    GEO Georgia
    DEU Germany
    GHA Ghana
    GIB Gibraltar
    GRC Greece
    GRL Greenland
    GRD Grenada
    GLP Guadeloupe
    GUM Guam
    GTM Guatemala
    GIN Guinea
    GNB Guinea-Bissau
    GUY Guyana
    HTI Haiti
    HND Honduras
    HKG Hong Kong
    HUN Hungary
    ISL Iceland
    IND India
    IDN Indonesia
    IRN Iran
    IRQ Iraq
    IRL Ireland
    IMN Isle of Man
    ISR Israel
    ITA Italy
    JAM Jamaica
    JPN Japan
    JOR Jordan
    KAZ Kazakhstan
    KEN Kenya
    KIR Kiribati
    XKX Kosovo
    KWT Kuwait
    KGZ Kyrgyzstan
    LAO Laos
    LVA Latvia
    LBN Lebanon
    LSO Lesotho
    LBR Liberia
    LBY Libya
    LIE Liechtenstein
    LTU Lithuania
    LUX Luxembourg
    MDG Madagascar
    MWI Malawi
    MYS Malaysia
    MDV Maldives
    MLI Mali
    MLT Malta
    MHL Marshall Islands
    MTQ Martinique
    MRT Mauritania
    MUS Mauritius
    MYT Mayotte
    MEX Mexico | MX
    FSM Micronesia
    MDA Moldova
    MCO Monaco
    MNG Mongolia
    MNE Montenegro
    MSR Montserrat
    MAR Morocco
    MOZ Mozambique
    NAM Namibia
    NRU Nauru
    NPL Nepal
    NLD Netherlands | = Holland
    NCL New Caledonia
    NZL New Zealand
    NIC Nicaragua
    NER Niger
    NGA Nigeria
    NIU Niue
    PRK North Korea
    MKD North Macedonia | Macedonia
    MNP Northern Mariana Islands | Mariana Islands
    NOR Norway
    OMN Oman
    PAK Pakistan
    PLW Palau
    PAN Panama
    PNG Papua New Guinea | P.N.G.
    PRY Paraguay
    PER Peru
    PHL Philippines | Philippine Islands
    PCN Pitcairn
    POL Poland
    PRT Portugal
    PRI Puerto Rico
    QAT Qatar
    REU Reunion
    ROU Romania
    RUS Russia
    RWA Rwanda
    SHN Saint Helena
    KNA Saint Kitts and Nevis
    LCA Saint Lucia
    MAF Saint Martin
    VCT Saint Vincent and the Grenadines
    WSM Samoa
    SMR San Marino
    STP Sao Tome and Principe
    SAU Saudi Arabia
    SEN Senegal
    SRB Serbia
    SYC Seychelles
    SLE Sierra Leone
    SGP Singapore
    SVK Slovakia
    SVN Slovenia
    SLB Solomon Islands
    SOM Somalia
    ZAF South Africa
    SGS South Georgia and the South Sandwich Islands | South Sandwich Islands
    KOR South Korea
    SSD South Sudan
    ESP Spain
    LKA Sri Lanka
    SDN Sudan
    SUR Suriname
    SJM Svalbard and Jan Mayen | Svalbard | Jan Mayen
    SWE Sweden
    CHE Switzerland
    SYR Syria
    TWN Taiwan
    TJK Tajikistan
    TZA Tanzania
    THA Thailand
    TLS Timor Leste | East Timor
    TGO Togo
    TKL Tokelau
    TON Tonga
    TTO Trinidad and Tobago
    TUN Tunisia
    TUR Turkey | Türkiye
    TKM Turkmenistan
    TCA Turks and Caicos Islands
    TUV Tuvalu
    VIR U.S. Virgin Islands
    UGA Uganda
    UKR Ukraine
    ARE United Arab Emirates | = UAE
    GBR United Kingdom | = UK | = Britain | = Great Britain | = England | = Scotland | = Wales
    URY Uruguay
    UZB Uzbekistan
    VUT Vanuatu
    VAT Vatican City
    VEN Venezuela
    VNM Vietnam
    WLF Wallis and Futuna
    ESH Western Sahara
    YEM Yemen
    ZMB Zambia
    ZWE Zimbabwe
    """
}
